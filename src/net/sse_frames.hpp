// SPDX-License-Identifier: Apache-2.0
// Server-sent events as they come over the wire: bytes in, frames out, whatever way the bytes are cut.
#pragma once

#include "convene/error.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// One event of a stream.
struct sse_frame {
    std::string event;  ///< its name; `message` where none was given
    std::string data;
    std::string id;  ///< the last id of the stream so far; where to resume

    friend bool operator==(const sse_frame&, const sse_frame&) = default;
};

/// Reads a stream by the rules of the HTML standard: lines end in CR, LF or both, comments are passed over, data
/// lines are joined, an id with U+0000 is ignored, and a frame that its blank line does not end is none.
class sse_frames {
   public:
    /// `most_bytes` bounds a frame that is not complete yet.
    explicit sse_frames(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// Takes the next bytes. *Errors*: `payload_too_large`; the stream can't be read on then.
    result<> push(std::string_view bytes);

    /// The next complete frame, if there is one.
    [[nodiscard]] std::optional<sse_frame> next();

    /// How long the server wants a reader to wait before it comes again, if it said so.
    [[nodiscard]] std::optional<milliseconds> retry() const noexcept { return retry_; }

   private:
    void take_line();
    void take_field(std::string_view name, std::string_view value);
    void end_frame();

    std::size_t most_bytes_;
    bool is_at_start_ = true;        ///< of the stream, where a byte order mark may stand
    bool is_behind_return_ = false;  ///< a line feed belongs to the carriage return before it
    std::string line_;
    std::string event_;
    std::string data_;
    bool has_data_ = false;
    std::string id_;
    std::optional<milliseconds> retry_;
    std::deque<sse_frame> ready_;
};

}  // namespace convene
