// SPDX-License-Identifier: Apache-2.0
// Line reader: chunks from a descriptor, cut at line ends.
#include "app/import/line_reader.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace convene {

namespace {

constexpr std::size_t chunk_bytes = 256UL * 1024;

/// How long one read waits for a pipe, so that a request to stop is heard in between.
constexpr int patience_ms = 200;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

enum class readiness { ready, not_yet, failed };

readiness wait_for_input(int descriptor) {
    pollfd watched{descriptor, POLLIN, 0};
    const int ready = ::poll(&watched, 1, patience_ms);
    if (ready < 0) {
        return errno == EINTR ? readiness::not_yet : readiness::failed;
    }
    return ready == 0 ? readiness::not_yet : readiness::ready;
}

}  // namespace

outcome<std::unique_ptr<line_reader>> line_reader::open(
    const std::string& path, std::size_t max_line_bytes
) {
    const int descriptor = path == "-" ? ::dup(STDIN_FILENO)
                                       : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return failure{
            exit_code::refused,
            "FILE: can't open '" + path + "': " + std::strerror(errno),
            "name a file of JSON lines, or - for standard input"
        };
    }
    return std::unique_ptr<line_reader>{new line_reader{descriptor, max_line_bytes}};
}

line_reader::line_reader(int descriptor, std::size_t max_line_bytes)
    : descriptor_(descriptor), max_line_bytes_(max_line_bytes), chunk_(chunk_bytes) {}

line_reader::~line_reader() { ::close(descriptor_); }

result<line_reader::batch> line_reader::read() {
    batch taken;
    const readiness now = wait_for_input(descriptor_);
    if (now == readiness::failed) {
        return errc::io_failed;
    }
    if (now == readiness::ready) {
        const ssize_t count = ::read(descriptor_, chunk_.data(), chunk_.size());
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            return errc::io_failed;
        }
        if (count > 0) {
            split({chunk_.data(), static_cast<std::size_t>(count)}, &taken);
        }
        taken.is_last = count == 0;
    }
    if (taken.is_last && (!partial_.empty() || is_partial_dropped_)) {
        end_line(&taken);
    }
    taken.bytes_read = bytes_read_;
    return taken;
}

void line_reader::split(std::string_view chunk, batch* into) {
    bytes_read_ += static_cast<std::int64_t>(chunk.size());
    while (!chunk.empty()) {
        const std::size_t end = chunk.find('\n');
        const std::string_view piece = chunk.substr(0, end);
        if (is_partial_dropped_ || partial_.size() + piece.size() > max_line_bytes_) {
            is_partial_dropped_ = true;
            partial_.clear();
        } else {
            partial_ += piece;
        }
        if (end == std::string_view::npos) {
            return;
        }
        end_line(into);
        chunk.remove_prefix(end + 1);
    }
}

void line_reader::end_line(batch* into) {
    line ended;
    ended.number = ++lines_;
    ended.text = std::exchange(partial_, {});
    ended.is_too_long = std::exchange(is_partial_dropped_, false);
    if (ended.number == 1 && ended.text.starts_with(byte_order_mark)) {
        ended.text.erase(0, byte_order_mark.size());
    }
    into->lines.push_back(std::move(ended));
}

std::optional<std::int64_t> line_reader::size() const {
    struct stat about{};
    if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
        return std::nullopt;
    }
    return about.st_size;
}

}  // namespace convene
