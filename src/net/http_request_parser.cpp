// SPDX-License-Identifier: Apache-2.0
// Reading requests: the raw head line by line, then Beast's parser, then what the fields mean together.
#include "net/http_request_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"

namespace convene {

namespace http = boost::beast::http;

namespace {

using beast_text = boost::beast::string_view;

std::string_view view_of(beast_text text) { return {text.data(), text.size()}; }

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lower_case(std::string_view text) {
    std::string lowered{text};
    std::ranges::transform(lowered, lowered.begin(), lower);
    return lowered;
}

bool equals_ignoring_case(std::string_view text, std::string_view lowered) {
    return std::ranges::equal(text, lowered, {}, lower);
}

/// Whether a line holds a control character other than a tab. Branchless, so that it is vectorised.
bool has_control_character(std::string_view line) noexcept {
    bool found = false;
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        found |= (byte < 0x20U && byte != '\t') || byte == 0x7FU;
    }
    return found;
}

bool has_bare_line_feed(std::string_view lines) noexcept {
    std::size_t at = 0;
    while ((at = lines.find('\n', at)) != std::string_view::npos) {
        if (at == 0 || lines[at - 1] != '\r') {
            return true;
        }
        ++at;
    }
    return false;
}

/// A path with an optional query, in visible ASCII. `#` never travels.
bool is_path(std::string_view target) noexcept {
    const auto may_stand_there = [](char c) { return c > ' ' && c < 0x7F && c != '#'; };
    return target.starts_with('/') && std::ranges::all_of(target, may_stand_there);
}

/// A host with an optional port: nothing that starts another part of a URL.
bool is_host(std::string_view host) noexcept {
    const auto may_stand_there = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"-._~%!$&'()*+;=:[]"}.find(c) != std::string_view::npos;
    };
    return !host.empty() && std::ranges::all_of(host, may_stand_there);
}

bool is_number(std::string_view text) noexcept {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && text.size() <= 18 && std::ranges::all_of(text, is_digit);
}

/// *Requires*: `is_number`.
std::uint64_t value_of(std::string_view number) noexcept {
    std::uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    return value;
}

std::optional<http_method> method_of(http::verb verb) noexcept {
    switch (verb) {
        case http::verb::get:
            return http_method::get;
        case http::verb::head:
            return http_method::head;
        case http::verb::post:
            return http_method::post;
        case http::verb::put:
            return http_method::put;
        case http::verb::patch:
            return http_method::patch;
        case http::verb::delete_:
            return http_method::delete_;
        case http::verb::options:
            return http_method::options;
        default:
            return std::nullopt;
    }
}

/// What Beast found wrong, in our words.
http_refusal refusal_of(const boost::beast::error_code& failure, http_refusal otherwise) {
    if (failure == http::error::body_limit) {
        return http_refusal::body_too_large;
    }
    if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
        return http_refusal::head_too_large;
    }
    if (failure == http::error::bad_version) {
        return http_refusal::unknown_version;
    }
    if (failure == http::error::bad_target) {
        return http_refusal::bad_target;
    }
    if (failure == http::error::bad_content_length ||
        failure == http::error::multiple_content_length ||
        failure == http::error::bad_transfer_encoding) {
        return http_refusal::bad_message_length;
    }
    return otherwise;
}

}  // namespace

/// Beast's parser, filling a request of ours. A check of ours that fails is kept in `refusal`.
class http_request_parser::beast_reader final : public http::basic_parser<true> {
   public:
    explicit beast_reader(const http_limits& limits) : limits_(limits) {
        header_limit(static_cast<std::uint32_t>(limits.head_bytes));
        body_limit(limits.body_bytes);
        eager(true);
    }

    http_request request;
    std::optional<http_refusal> refusal;
    bool is_http_11 = false;
    bool expects_continue = false;
    bool is_large = false;

   private:
    void refuse(http_refusal reason, boost::beast::error_code& failure) {
        refusal = reason;
        failure = http::error::bad_value;
    }

    void on_request_impl(
        http::verb verb,
        beast_text,
        beast_text target,
        int version,
        boost::beast::error_code& failure
    ) override {
        const std::optional<http_method> method = method_of(verb);
        if (!method) {
            return refuse(http_refusal::unknown_method, failure);
        }
        is_http_11 = version == 11;
        request.method = *method;
        const std::string_view whole = view_of(target);
        if (!is_path(whole) && !(whole == "*" && *method == http_method::options)) {
            return refuse(http_refusal::bad_target, failure);
        }
        const std::size_t mark = whole.find('?');
        request.path = whole.substr(0, mark);
        if (mark != std::string_view::npos) {
            request.query = whole.substr(mark + 1);
        }
        if (limits_.takes_large_body && limits_.takes_large_body(*method, request.path)) {
            body_limit(std::max(limits_.large_body_bytes, limits_.body_bytes));
        }
    }

    void on_response_impl(int, beast_text, int, boost::beast::error_code&) override {}

    void on_field_impl(
        http::field field, beast_text name, beast_text value, boost::beast::error_code& failure
    ) override {
        if (is_header_done()) {
            return on_trailer(field, failure);
        }
        if (++lines_ > limits_.header_lines) {
            return refuse(http_refusal::too_many_headers, failure);
        }
        const std::string_view text = view_of(value);
        switch (field) {
            case http::field::host:
                hosts_ += is_host(text) ? 1 : 2;
                break;
            case http::field::content_length:
                // Equal ones too: an intermediary may have joined or kept them.
                if (++lengths_ > 1 || !is_number(text)) {
                    return refuse(http_refusal::bad_message_length, failure);
                }
                is_large = value_of(text) > limits_.body_bytes;
                break;
            case http::field::transfer_encoding:
                if (++codings_ > 1) {
                    return refuse(http_refusal::bad_message_length, failure);
                }
                if (!equals_ignoring_case(text, "chunked")) {
                    return refuse(http_refusal::unknown_transfer_coding, failure);
                }
                break;
            case http::field::expect:
                if (!equals_ignoring_case(text, "100-continue")) {
                    return refuse(http_refusal::unknown_expectation, failure);
                }
                expects_continue = true;
                break;
            default:
                break;
        }
        request.headers.add(lower_case(view_of(name)), std::string{text});
    }

    /// Trailers are read, bounded and dropped; those that would change the message are refused.
    void on_trailer(http::field field, boost::beast::error_code& failure) {
        if (++lines_ > limits_.header_lines) {
            return refuse(http_refusal::too_many_headers, failure);
        }
        if (field == http::field::content_length || field == http::field::transfer_encoding ||
            field == http::field::host || field == http::field::connection) {
            refuse(http_refusal::bad_trailer, failure);
        }
    }

    void on_header_impl(boost::beast::error_code& failure) override {
        if (hosts_ > 1 || (hosts_ == 0 && is_http_11)) {
            return refuse(http_refusal::bad_host, failure);
        }
        if (codings_ != 0 && (lengths_ != 0 || !is_http_11)) {
            return refuse(http_refusal::bad_message_length, failure);
        }
        expects_continue = expects_continue && is_http_11;
        if (codings_ != 0) {
            // What does not say how long it is may not be long.
            body_limit(limits_.body_bytes);
        }
    }

    void on_body_init_impl(const boost::optional<std::uint64_t>& length, boost::beast::error_code&)
        override {
        if (length) {
            request.body.reserve(std::min<std::size_t>(*length, limits_.body_bytes));
        }
    }

    std::size_t on_body_impl(beast_text piece, boost::beast::error_code&) override {
        request.body.append(piece.data(), piece.size());
        return piece.size();
    }

    void on_chunk_header_impl(
        std::uint64_t, beast_text extensions, boost::beast::error_code& failure
    ) override {
        if (has_control_character(view_of(extensions))) {
            refuse(http_refusal::bad_chunk, failure);
        }
    }

    std::size_t on_chunk_body_impl(std::uint64_t, beast_text piece, boost::beast::error_code&)
        override {
        request.body.append(piece.data(), piece.size());
        return piece.size();
    }

    void on_finish_impl(boost::beast::error_code&) override {}

    http_limits limits_;
    std::size_t lines_ = 0;
    int hosts_ = 0;
    int lengths_ = 0;
    int codings_ = 0;
};

struct http_request_parser::progress {
    explicit progress(const http_limits& given) : limits(given) {}

    void start_again() {
        where = state::head;
        line_start = 0;
        scanned = 0;
        reader.reset();
    }

    void refuse(http_refusal reason) {
        where = state::refused;
        refusal = reason;
    }

    /// Looks at lines that are new. The length of the head once its empty line was found.
    std::size_t scan_head(std::string_view bytes) {
        while (line_start < bytes.size()) {
            const auto* from = bytes.data() + std::max(line_start, scanned);
            const std::size_t unseen = bytes.size() - std::max(line_start, scanned);
            const auto* end = static_cast<const char*>(std::memchr(from, '\n', unseen));
            if (end == nullptr) {
                scan_tail(bytes);
                return 0;
            }
            const auto line_end = static_cast<std::size_t>(end - bytes.data());
            std::string_view line = bytes.substr(line_start, line_end - line_start);
            if (!line.ends_with('\r')) {
                refuse(http_refusal::bad_line_ending);
                return 0;
            }
            line.remove_suffix(1);
            if (!check_line(line)) {
                return 0;
            }
            const bool is_first = line_start == 0;
            line_start = line_end + 1;
            if (line_start > limits.head_bytes) {
                refuse(is_first ? http_refusal::target_too_long : http_refusal::head_too_large);
                return 0;
            }
            if (line.empty()) {
                return line_start;
            }
        }
        return 0;
    }

    bool check_line(std::string_view line) {
        if (has_control_character(line)) {
            refuse(
                line.find('\r') != std::string_view::npos ? http_refusal::bad_line_ending
                                                          : http_refusal::control_character
            );
            return false;
        }
        if (line.starts_with(' ') || line.starts_with('\t')) {
            refuse(line_start == 0 ? http_refusal::malformed_request : http_refusal::folded_header);
            return false;
        }
        if (line_start == 0 && line.empty()) {
            refuse(http_refusal::malformed_request);
            return false;
        }
        if (line_start == 0 && line.starts_with("PRI * HTTP/2")) {
            refuse(http_refusal::http_2);
            return false;
        }
        return true;
    }

    /// A line that has not ended: what can't become one is refused without waiting for the rest.
    void scan_tail(std::string_view bytes) {
        std::string_view tail = bytes.substr(std::max(line_start, scanned));
        scanned = bytes.size();
        if (tail.ends_with('\r')) {
            tail.remove_suffix(1);
            --scanned;
        }
        if (has_control_character(tail)) {
            refuse(
                tail.find('\r') != std::string_view::npos ? http_refusal::bad_line_ending
                                                          : http_refusal::control_character
            );
        } else if (bytes.size() >= limits.head_bytes) {
            refuse(line_start == 0 ? http_refusal::target_too_long : http_refusal::head_too_large);
        }
    }

    std::size_t feed_head(std::string_view bytes) {
        const std::size_t length = scan_head(bytes);
        if (length == 0) {
            return 0;
        }
        reader.emplace(limits);
        return feed_reader(bytes);
    }

    std::size_t feed_body(std::string_view bytes) {
        // Beast 1.81 asserts that a last chunk it has seen the beginning of is given back with five bytes or
        // more. Nothing chunked ends with fewer, so waiting for them delays no request.
        constexpr std::size_t last_chunk = 5;
        if (reader->chunked() && bytes.size() < last_chunk && bytes.starts_with('0')) {
            return 0;
        }
        return feed_reader(bytes);
    }

    std::size_t feed_reader(std::string_view bytes) {
        boost::beast::error_code failure;
        const std::size_t taken = reader->put(
            boost::asio::const_buffer{bytes.data(), bytes.size()}, failure
        );
        if (failure && failure != http::error::need_more) {
            const auto otherwise = reader->is_header_done() ? http_refusal::bad_chunk
                                                            : http_refusal::malformed_request;
            refuse(reader->refusal ? *reader->refusal : refusal_of(failure, otherwise));
        } else if (reader->is_done()) {
            where = state::complete;
        } else {
            where = state::body;
            // Chunk and trailer lines stay in the buffer until they are whole.
            if (taken == 0 && bytes.size() >= limits.head_bytes) {
                refuse(http_refusal::head_too_large);
            } else if (has_bare_line_feed(bytes.substr(taken))) {
                refuse(http_refusal::bad_chunk);
            }
        }
        return taken;
    }

    http_limits limits;
    state where = state::head;
    http_refusal refusal = http_refusal::malformed_request;
    std::size_t line_start = 0;  ///< of the first line that is not looked at
    std::size_t scanned = 0;     ///< up to where an unfinished line was looked at
    std::optional<beast_reader> reader;
};

http_request_parser::http_request_parser(const http_limits& limits)
    : progress_(std::make_unique<progress>(limits)) {}

http_request_parser::~http_request_parser() = default;

std::size_t http_request_parser::feed(std::string_view bytes) {
    switch (progress_->where) {
        case state::head:
            return progress_->feed_head(bytes);
        case state::body:
            return progress_->feed_body(bytes);
        case state::complete:
        case state::refused:
            break;
    }
    return 0;
}

http_request_parser::state http_request_parser::where() const noexcept { return progress_->where; }

http_refusal http_request_parser::refusal() const noexcept { return progress_->refusal; }

bool http_request_parser::expects_continue() const noexcept {
    return progress_->reader && progress_->reader->expects_continue;
}

bool http_request_parser::is_large() const noexcept { return progress_->reader->is_large; }

const http_request& http_request_parser::so_far() const noexcept {
    return progress_->reader->request;
}

std::size_t http_request_parser::body_received() const noexcept {
    return progress_->reader ? progress_->reader->request.body.size() : 0;
}

bool http_request_parser::keeps_alive() const noexcept {
    return progress_->reader->is_http_11 && progress_->reader->keep_alive();
}

bool http_request_parser::knows_chunks() const noexcept { return progress_->reader->is_http_11; }

http_request http_request_parser::take() {
    CONVENE_ASSERT(where() == state::complete, "a request was taken before it was complete");
    http_request taken = std::move(progress_->reader->request);
    progress_->start_again();
    return taken;
}

}  // namespace convene
