// SPDX-License-Identifier: Apache-2.0
// Frames of server-sent events: lines, then fields.
#include "net/sse_frames.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace convene {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Longer waits are not a server's to ask for.
constexpr std::int64_t longest_retry_ms = 60'000;

}  // namespace

result<> sse_frames::push(std::string_view bytes) {
    while (!bytes.empty()) {
        if (std::exchange(is_behind_return_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const std::size_t length = bytes.find_first_of("\r\n");
        line_ += bytes.substr(0, length);
        if (line_.size() + data_.size() > most_bytes_) {
            return errc::payload_too_large;
        }
        if (length == std::string_view::npos) {
            return {};
        }
        is_behind_return_ = bytes[length] == '\r';
        bytes.remove_prefix(length + 1);
        take_line();
    }
    return {};
}

std::optional<sse_frame> sse_frames::next() {
    if (ready_.empty()) {
        return std::nullopt;
    }
    std::optional<sse_frame> first{std::move(ready_.front())};
    ready_.pop_front();
    return first;
}

void sse_frames::take_line() {
    const std::string whole = std::exchange(line_, {});
    std::string_view line{whole};
    if (std::exchange(is_at_start_, false) && line.starts_with(byte_order_mark)) {
        line.remove_prefix(byte_order_mark.size());
    }
    if (line.empty()) {
        end_frame();
        return;
    }
    const std::size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? std::string_view{}
                                                             : line.substr(colon + 1);
    if (value.starts_with(' ')) {
        value.remove_prefix(1);
    }
    // A line that begins with a colon is a comment: no field has an empty name.
    take_field(line.substr(0, colon), value);
}

void sse_frames::take_field(std::string_view name, std::string_view value) {
    if (name == "data") {
        if (has_data_) {
            data_ += '\n';
        }
        data_ += value;
        has_data_ = true;
    } else if (name == "event") {
        event_ = value;
    } else if (name == "id") {
        if (value.find('\0') == std::string_view::npos) {
            id_ = value;
        }
    } else if (name == "retry") {
        std::int64_t wanted = 0;
        const auto [end, error] = std::from_chars(
            value.data(), value.data() + value.size(), wanted
        );
        const bool is_number = error == std::errc{} && end == value.data() + value.size();
        if (is_number && wanted >= 0 && wanted <= longest_retry_ms) {
            retry_ = milliseconds{wanted};
        }
    }
}

void sse_frames::end_frame() {
    sse_frame frame;
    frame.event = std::exchange(event_, {});
    frame.data = std::exchange(data_, {});
    if (!std::exchange(has_data_, false)) {
        return;
    }
    if (frame.event.empty()) {
        frame.event = "message";
    }
    frame.id = id_;
    ready_.push_back(std::move(frame));
}

}  // namespace convene
