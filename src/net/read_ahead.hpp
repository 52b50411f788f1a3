// SPDX-License-Identifier: Apache-2.0
// `read_ahead`: reads a stream into a bounded buffer while something else goes on, and notices its end.
#pragma once

#include "convene/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "net/net_stream.hpp"

namespace convene {

/// The receiving side of a connection. At most one read is under way; it is what tells that the other end
/// left while a request is being answered, and it usually brings the next request: no call to the system
/// is made for either.
///
/// *Thread safety*: loop only. *Lifetime*: destroyed only when nothing is under way (`is_reading`).
class read_ahead final : private io_completion {
   public:
    /// `changed` is called after every read that ended; it may start the next.
    read_ahead(net_stream& from, std::size_t max_bytes, std::function<void()> changed);
    ~read_ahead();

    /// Reads more unless a read is under way, the stream has ended or the buffer is full.
    void start();

    [[nodiscard]] std::string_view bytes() const noexcept {
        return {buffer_.get() + begin_, end_ - begin_};
    }

    void consume(std::size_t count) noexcept { begin_ += count; }

    /// Whether nothing more will come. Bytes that came before are still there.
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    [[nodiscard]] bool is_reading() const noexcept { return is_reading_; }

    [[nodiscard]] std::size_t total() const noexcept { return total_; }

   private:
    void completed(error_code failure, std::size_t count) noexcept override;

    /// Makes room behind the unread bytes; false when the limit is reached.
    bool make_room();

    // fixed after construction
    net_stream& from_;
    std::size_t max_bytes_;
    std::function<void()> changed_;

    // touched on the loop only
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t total_ = 0;
    bool is_reading_ = false;
    bool has_ended_ = false;
};

}  // namespace convene
