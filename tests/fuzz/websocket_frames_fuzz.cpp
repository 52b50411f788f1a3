// SPDX-License-Identifier: Apache-2.0
// Frames from bytes: whatever a peer sends, messages are whole, within the limit and UTF-8, and the session ends.
#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/utf8.hpp"
#include "net/net_stream.hpp"
#include "net/read_ahead.hpp"
#include "net/websocket_session.hpp"

namespace {

using namespace convene;
using namespace std::chrono_literals;

constexpr std::size_t max_message = 4096;

// The key of RFC 6455, section 1.3.
constexpr const char* key = "dGhlIHNhbXBsZSBub25jZQ==";

/// A peer that sends the input in pieces of one size, then leaves, and takes whatever it is sent.
class scripted_stream final : public net_stream {
   public:
    scripted_stream(loop& where, std::string_view bytes, std::size_t piece)
        : where_(where), bytes_(bytes), piece_(piece) {}

    void start_read(char* into, std::size_t size, io_completion& told) override {
        const std::size_t count = is_closed_ ? 0 : std::min({size, piece_, bytes_.size()});
        std::memcpy(into, bytes_.data(), count);
        bytes_.remove_prefix(count);
        const error_code end = make_error_code(errc::connection_closed);
        later(told, count == 0 ? end : error_code{}, count);
    }

    [[nodiscard]] bool can_write_now() const noexcept override { return false; }

    [[nodiscard]] result<std::size_t> write_now(const outgoing_bytes&) override {
        return std::size_t{0};
    }

    void start_write(const outgoing_bytes& bytes, io_completion& told) override {
        const error_code end = make_error_code(errc::connection_closed);
        later(told, is_closed_ ? end : error_code{}, is_closed_ ? 0 : bytes.size());
    }

    void cancel_write() noexcept override {}

    void start_shutdown(io_completion& told) override { later(told, {}, 0); }

    void close() noexcept override { is_closed_ = true; }

    [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

    [[nodiscard]] awaitable<result<>> open() override { co_return result<>{}; }

   private:
    /// Tells in a later turn, as a socket does.
    class telling final : public external_job {
       public:
        telling(io_completion& told, error_code failure, std::size_t count)
            : told_(told), failure_(failure), count_(count) {}

        void run() noexcept override { told_.completed(failure_, count_); }

       private:
        io_completion& told_;
        error_code failure_;
        std::size_t count_;
    };

    void later(io_completion& told, error_code failure, std::size_t count) {
        where_.post_external(std::make_unique<telling>(told, failure, count));
    }

    loop& where_;
    std::string_view bytes_;
    std::size_t piece_;
    std::string peer_ = "peer";
    bool is_closed_ = false;
};

/// Ends the session also while it reads on: the stream tells of its end.
awaitable<std::vector<std::string>> talk(websocket_session* session, read_ahead* input) {
    std::vector<std::string> heard;
    http_headers none;
    const result<> accepted = co_await session->accept(key, std::move(none));
    while (accepted) {
        result<std::string> message = co_await session->read();
        if (!message) {
            break;
        }
        heard.push_back(*std::move(message));
    }
    co_await session->end(1000);
    while (input->is_reading()) {
        const result<> turned = co_await yield_turn();
        CONVENE_ASSERT(turned, "nothing cancels this");
    }
    co_return heard;
}

std::vector<std::string> read_in_pieces(std::string_view bytes, std::size_t piece) {
    loop where;
    scripted_stream stream{where, bytes, piece};
    websocket_session* told = nullptr;
    read_ahead input{stream, std::size_t{64} << 10U, [&told, &input] {
                         if (told != nullptr) {
                             told->input_changed();
                         }
                         input.start();
                     }};
    websocket_settings settings;
    settings.max_message = max_message;
    settings.silence = 10s;
    settings.write_stall = 10s;
    settings.goodbye_time = 10s;
    websocket_session session{where, stream, input, settings};
    told = &session;
    input.start();
    std::vector<std::string> heard = where.run_until_done(talk(&session, &input));
    told = nullptr;
    return heard;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const utf8_step next = read_utf8(text);
        if (next.fault != utf8_fault::none) {
            return false;
        }
        text.remove_prefix(next.length);
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes{data, data + size};
    const std::vector<std::string> whole = read_in_pieces(bytes, bytes.size() + 1);
    for (const std::string& message : whole) {
        CONVENE_ASSERT(message.size() <= max_message, "a message is above its limit");
        CONVENE_ASSERT(is_utf8(message), "a message is no text");
    }
    CONVENE_ASSERT(read_in_pieces(bytes, 1) == whole, "messages depend on the pieces");
    return 0;
}
