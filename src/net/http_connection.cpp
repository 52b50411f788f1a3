// SPDX-License-Identifier: Apache-2.0
// A connection: requests one at a time, their answers, and how it ends.
#include "net/http_connection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <limits>
#include <utility>
#include <variant>

#include "base/log.hpp"

namespace convene {

namespace {

/// What a peer may still send while it reads the last answer.
constexpr std::size_t discarded_bytes = 4U << 20U;

constexpr std::string_view line_end = "\r\n";

void append_number(std::string& out, std::uint64_t number, int base) {
    std::array<char, 20> digits;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
    out.append(digits.data(), written.ptr);
}

bool is_field_text(std::string_view text) noexcept {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

/// The server says these itself.
bool is_ours(std::string_view name) noexcept {
    return name == "content-length" || name == "transfer-encoding" || name == "connection" ||
           name == "date";
}

bool has_no_body(int status) noexcept { return status < 200 || status == 204 || status == 304; }

}  // namespace

std::string_view http_service::date_line() {
    const auto second = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (second != date_of_ || date_line_.empty()) {
        date_of_ = second;
        const std::time_t time = std::chrono::system_clock::to_time_t(second);
        std::tm parts{};
        gmtime_r(&time, &parts);
        // By hand: strftime's names follow the locale.
        constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        constexpr std::array months{
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
        };
        std::array<char, 64> line;
        const int length = std::snprintf(
            line.data(),
            line.size(),
            "date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
            days.at(static_cast<std::size_t>(parts.tm_wday)),
            parts.tm_mday,
            months.at(static_cast<std::size_t>(parts.tm_mon)),
            parts.tm_year + 1900,
            parts.tm_hour,
            parts.tm_min,
            parts.tm_sec
        );
        date_line_.assign(line.data(), static_cast<std::size_t>(length));
    }
    return date_line_;
}

/// The one timer of a connection. Its time moves with every request; the timer itself only when it fires.
class http_connection::watchdog final : private timer {
   public:
    explicit watchdog(http_connection& owner) : owner_(owner) {}

    void move_to(monotonic_time at) noexcept {
        wanted_ = at;
        if (at != monotonic_time::max() && (!is_armed() || at < timer::at())) {
            owner_.service_.where.arm(*this, at);
        }
    }

   private:
    void expired() noexcept override {
        if (owner_.now() >= wanted_) {
            owner_.is_expired_ = true;
            owner_.wake_.notify_all();
        } else if (wanted_ != monotonic_time::max()) {
            owner_.service_.where.arm(*this, wanted_);
        }
    }

    http_connection& owner_;
    monotonic_time wanted_ = monotonic_time::max();
};

/// The body of a stream, one chunk for each piece.
class http_connection::sink final : public http_body_sink {
   public:
    sink(http_connection& owner, bool is_chunked) : owner_(owner), is_chunked_(is_chunked) {}

    awaitable<result<>> write(std::string piece) override {
        if (failure_) {
            co_return failure_;
        }
        if (owner_.input_.has_ended()) {
            failure_ = errc::connection_closed;
            co_return failure_;
        }
        const coroutine_context context = co_await this_context();
        const result<> wanted = context.check_cancelled();
        if (!wanted || piece.empty()) {
            co_return wanted;
        }
        std::string prefix;
        outgoing_bytes rest;
        if (is_chunked_) {
            append_number(prefix, piece.size(), 16);
            prefix += line_end;
            rest.add(prefix);
            rest.add(piece);
            rest.add(line_end);
        } else {
            rest.add(piece);
        }
        const result<> sent = co_await owner_.send(&rest, owner_.service_.settings.unsent_budget);
        if (!sent) {
            failure_ = sent.error();
        }
        written_ += piece.size();
        co_return sent;
    }

    [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

    [[nodiscard]] bool has_failed() const noexcept { return static_cast<bool>(failure_); }

   private:
    http_connection& owner_;
    const bool is_chunked_;
    std::uint64_t written_ = 0;
    error_code failure_;  ///< of a write: a chunk may be half sent, so nothing can follow
};

http_connection::http_connection(http_service& service, std::unique_ptr<net_stream> stream)
    : service_(service),
      stream_(std::move(stream)),
      input_(
          *stream_,
          std::max<std::size_t>(service.settings.limits.head_bytes, 4096),
          [this] { read_changed(); }
      ),
      parser_(service.settings.limits),
      watchdog_(std::make_unique<watchdog>(*this)) {}

http_connection::~http_connection() { let_go_of_large_body(); }

awaitable<void> http_connection::run() {
    co_await serve();
    const coroutine_context context = co_await this_context();
    if (!context.check_cancelled()) {
        parting_ = parting::at_once;
    }
    co_await shielded(part());
}

void http_connection::begin_drain() noexcept {
    wanted_after_ = after::close;
    wake_.notify_all();
}

// -- reading ------------------------------------------------------------------------------------------

awaitable<void> http_connection::serve() {
    const deadline greeting{now() + service_.settings.head_time};
    const result<> opened = co_await with_deadline(greeting, stream_->open());
    if (!opened) {
        co_return;
    }
    after next = after::keep;
    while (next == after::keep) {
        enter(phase::idle);
        const bool is_whole = co_await read_request();
        if (!is_whole) {
            co_return;
        }
        wanted_after_ = parser_.keeps_alive() && !service_.draining.is_set() ? after::keep
                                                                             : after::close;
        knows_chunks_ = parser_.knows_chunks();
        http_request request = parser_.take();
        request.peer = stream_->peer();
        request.is_secure = service_.settings.tls.has_value();
        next = co_await answer(std::move(request));
    }
}

awaitable<bool> http_connection::read_request() {
    has_said_continue_ = false;
    for (;;) {
        if (!input_.bytes().empty()) {
            if (phase_ == phase::idle) {
                enter(phase::head);
            }
            const std::size_t taken = parser_.feed(input_.bytes());
            input_.consume(taken);
            switch (parser_.where()) {
                case http_request_parser::state::complete:
                    co_return true;
                case http_request_parser::state::refused:
                    co_await refuse(parser_.refusal());
                    co_return false;
                case http_request_parser::state::body:
                    if (phase_ != phase::body) {
                        enter(phase::body);
                        const bool is_let_in = co_await admit_large_body();
                        if (!is_let_in) {
                            co_return false;
                        }
                    }
                    watchdog_->move_to(body_deadline());
                    break;
                case http_request_parser::state::head:
                    break;
            }
            if (taken != 0 && !input_.bytes().empty()) {
                continue;
            }
        }
        if (input_.has_ended() || is_unwanted()) {
            co_return false;
        }
        if (is_expired_) {
            const bool is_body = phase_ == phase::body;
            const auto reason = is_body ? http_refusal::body_too_slow : http_refusal::head_too_slow;
            co_await refuse(reason);
            co_return false;
        }
        if (phase_ == phase::body && parser_.expects_continue() && !has_said_continue_ &&
            parser_.body_received() == 0) {
            has_said_continue_ = true;
            outgoing_bytes rest;
            rest.add("HTTP/1.1 100 Continue\r\n\r\n");
            const result<> said = co_await send(&rest);
            if (!said) {
                co_return false;
            }
        }
        input_.start();
        const result<> waited = co_await wake_.wait();
        if (!waited) {
            co_return false;
        }
    }
}

/// Before the first byte of a large body is kept: who sends it, and whether there is room.
awaitable<bool> http_connection::admit_large_body() {
    if (!parser_.is_large()) {
        co_return true;
    }
    const http_server_settings& settings = service_.settings;
    if (service_.large_bodies >= settings.max_large_bodies) {
        co_await refuse(http_refusal::too_many_large_bodies);
        co_return false;
    }
    holds_large_body_ = true;
    ++service_.large_bodies;
    if (!settings.admit_large_body) {
        co_return true;
    }
    http_request head = parser_.so_far();
    head.body.clear();
    head.peer = stream_->peer();
    head.is_secure = settings.tls.has_value();
    method_ = head.method;
    knows_chunks_ = parser_.knows_chunks();
    auto asking = settings.admit_large_body(std::move(head));
    std::optional<http_response> refusal = co_await std::move(asking);
    if (!refusal) {
        co_return true;
    }
    wanted_after_ = after::close;
    const after last_word = co_await send_response(*std::move(refusal));
    static_cast<void>(last_word);  // nothing follows it: the body was not read
    parting_ = parting::after_last_word;
    co_return false;
}

void http_connection::let_go_of_large_body() noexcept {
    service_.large_bodies -= std::exchange(holds_large_body_, false) ? 1 : 0;
}

/// Between requests the time passes, and the server drains, without a word.
bool http_connection::is_unwanted() const noexcept {
    return phase_ == phase::idle && (is_expired_ || service_.draining.is_set());
}

void http_connection::enter(phase next) noexcept {
    phase_ = next;
    phase_began_ = now();
    is_expired_ = false;
    const http_server_settings& settings = service_.settings;
    switch (next) {
        case phase::idle:
            // Who connects and says nothing is given less time than who comes back.
            watchdog_->move_to(
                phase_began_ + (is_answered_once_ ? settings.idle_time : settings.head_time)
            );
            break;
        case phase::head:
            watchdog_->move_to(phase_began_ + settings.head_time);
            break;
        case phase::body:
            watchdog_->move_to(body_deadline());
            break;
        case phase::answering:
        case phase::closing:
            watchdog_->move_to(monotonic_time::max());
            break;
    }
}

monotonic_time http_connection::body_deadline() const noexcept {
    const http_server_settings& settings = service_.settings;
    const std::chrono::duration<double> earned{
        static_cast<double>(parser_.body_received()) /
        static_cast<double>(std::max<std::size_t>(settings.body_pace, 1))
    };
    const auto paced = settings.body_grace + std::chrono::duration_cast<milliseconds>(earned);
    return phase_began_ + std::min<milliseconds>(paced, settings.body_time);
}

void http_connection::read_changed() noexcept {
    service_.counters.bytes_in += input_.total() - counted_in_;
    counted_in_ = input_.total();
    if (session_ != nullptr) {
        session_->input_changed();
    } else if (phase_ == phase::answering) {
        if (input_.has_ended() && other_end_left_) {
            other_end_left_->request(errc::cancelled);
        }
        input_.start();
    }
    wake_.notify_all();
}

// -- answering ----------------------------------------------------------------------------------------

awaitable<http_connection::after> http_connection::answer(http_request request) {
    enter(phase::answering);
    is_answered_once_ = true;
    ++service_.counters.requests;
    method_ = request.method;
    offer_ = read_websocket_offer(request);
    other_end_left_.emplace();
    // The next request, or the news that the other end has left.
    input_.start();
    if (input_.has_ended()) {
        other_end_left_->request(errc::cancelled);
    }
    std::optional<http_answer> answered = co_await ask_handler(std::move(request));
    after next = after::close;
    if (!answered) {
        co_await refuse(http_refusal::handler_failed);
    } else if (auto* response = std::get_if<http_response>(&*answered)) {
        next = co_await send_response(std::move(*response));
    } else if (auto* stream = std::get_if<http_stream>(&*answered)) {
        next = co_await send_stream(std::move(*stream));
    } else {
        next = co_await talk(std::move(std::get<websocket_upgrade>(*answered)));
    }
    other_end_left_.reset();
    let_go_of_large_body();
    if (next == after::close && parting_ == parting::at_once && !input_.has_ended()) {
        parting_ = parting::after_last_word;
    }
    co_return next;
}

awaitable<std::optional<http_answer>> http_connection::ask_handler(http_request request) {
    std::optional<http_answer> answered;
    try {
        auto work = service_.handler(std::move(request));
        answered.emplace(co_await cancelled_by(&*other_end_left_, std::move(work)));
    } catch (const std::exception& failure) {
        log_failure("http_handler_failed", failure.what());
    } catch (...) {
        log_failure("http_handler_failed", "not a std::exception");
    }
    co_return answered;
}

void http_connection::log_failure(std::string_view what, std::string_view text) const noexcept {
    log(log_level::error,
        what,
        {{"method", word_of(method_)}, {"peer", std::string_view{stream_->peer()}}, {"text", text}}
    );
}

bool http_connection::begin_head(int status, const http_headers& headers) {
    head_.clear();
    head_ += knows_chunks_ ? "HTTP/1.1 " : "HTTP/1.0 ";
    append_number(head_, static_cast<std::uint64_t>(status), 10);
    head_ += ' ';
    head_ += phrase_of(status);
    head_ += line_end;
    head_ += service_.date_line();
    for (const auto& [name, value] : headers.all()) {
        if (!is_field_text(name) || !is_field_text(value)) {
            return false;
        }
        if (!is_ours(name)) {
            head_ += name;
            head_ += ": ";
            head_ += value;
            head_ += line_end;
        }
    }
    return true;
}

void http_connection::end_head(after next) {
    if (next == after::close) {
        head_ += "connection: close\r\n";
    }
    head_ += line_end;
}

awaitable<http_connection::after> http_connection::send_response(http_response response) {
    if (!begin_head(response.status, response.headers)) {
        log_failure("http_header_refused", "a header of the answer has a line end in it");
        co_await refuse(http_refusal::handler_failed);
        co_return after::close;
    }
    const after next = service_.draining.is_set() ? after::close : wanted_after_;
    const bool is_bodiless = has_no_body(response.status);
    if (!is_bodiless) {
        head_ += "content-length: ";
        append_number(head_, response.body.size(), 10);
        head_ += line_end;
    }
    end_head(next);
    outgoing_bytes rest;
    rest.add(head_);
    if (!is_bodiless && method_ != http_method::head) {
        rest.add(response.body);
    }
    const result<> sent = co_await send(&rest);
    co_return sent ? next : after::close;
}

awaitable<http_connection::after> http_connection::send_stream(http_stream stream) {
    if (!begin_head(stream.status, stream.headers)) {
        log_failure("http_header_refused", "a header of the answer has a line end in it");
        co_await refuse(http_refusal::handler_failed);
        co_return after::close;
    }
    const bool is_chunked = !stream.length && knows_chunks_;
    if (is_chunked) {
        head_ += "transfer-encoding: chunked\r\n";
    } else if (stream.length) {
        head_ += "content-length: ";
        append_number(head_, *stream.length, 10);
        head_ += line_end;
    }
    end_head(wanted_after_);
    outgoing_bytes rest;
    rest.add(head_);
    const result<> begun = co_await send(&rest);
    if (!begun) {
        co_return after::close;
    }
    if (method_ == http_method::head) {
        co_return wanted_after_;
    }
    sink body{*this, is_chunked};
    bool is_whole = false;
    try {
        auto work = stream.produce(&body);
        co_await cancelled_by(&*other_end_left_, std::move(work));
        is_whole = true;
    } catch (const std::exception& failure) {
        log_failure("http_producer_failed", failure.what());
    } catch (...) {
        log_failure("http_producer_failed", "not a std::exception");
    }
    const coroutine_context context = co_await this_context();
    const bool is_short = stream.length && body.written() != *stream.length;
    if (!is_whole || is_short || body.has_failed() || other_end_left_->is_requested() ||
        !context.check_cancelled()) {
        // Without the rest: the other end must not take it for the whole.
        parting_ = parting::at_once;
        stream_->close();
        co_return after::close;
    }
    if (!is_chunked) {
        co_return stream.length ? wanted_after_ : after::close;
    }
    outgoing_bytes end;
    end.add("0\r\n\r\n");
    const result<> ended = co_await send(&end);
    co_return ended ? wanted_after_ : after::close;
}

awaitable<http_connection::after> http_connection::talk(websocket_upgrade upgrade) {
    if (offer_.what == websocket_offer::verdict::malformed || !knows_chunks_) {
        co_await refuse(http_refusal::bad_upgrade);
        co_return after::close;
    }
    if (offer_.what != websocket_offer::verdict::good) {
        co_await refuse(http_refusal::upgrade_required);
        co_return after::close;
    }
    const websocket_settings settings{
        upgrade.max_message,
        service_.settings.websocket_silence,
        service_.settings.write_stall,
        service_.settings.goodbye_time
    };
    websocket_session session{service_.where, *stream_, input_, settings};
    session_ = &session;
    auto headers = std::move(upgrade.headers);
    const result<> accepted = co_await session.accept(std::move(offer_.key), std::move(headers));
    if (accepted) {
        ++service_.counters.websockets;
        co_await hold_talk(&session, std::move(upgrade));
    } else {
        co_await shielded(session.end(1011));
    }
    session_ = nullptr;
    co_return after::close;
}

awaitable<void> http_connection::hold_talk(websocket_session* session, websocket_upgrade upgrade) {
    std::uint16_t code = 1000;
    try {
        co_await upgrade.talk(session);
    } catch (const std::exception& failure) {
        log_failure("websocket_talk_failed", failure.what());
        code = 1011;
    } catch (...) {
        log_failure("websocket_talk_failed", "not a std::exception");
        code = 1011;
    }
    if (service_.draining.is_set()) {
        code = 1001;
    }
    co_await shielded(session->end(code));
}

awaitable<void> http_connection::refuse(http_refusal reason) {
    ++service_.counters.refusals[static_cast<std::size_t>(reason)];
    http_headers headers;
    headers.add("content-type", "application/problem+json");
    if (reason == http_refusal::upgrade_required) {
        headers.add("upgrade", "websocket");
        headers.add("sec-websocket-version", "13");
    }
    const bool is_plain = begin_head(text_of(reason).status, headers);
    static_cast<void>(is_plain);
    const std::string body = problem_of(reason);
    head_ += "content-length: ";
    append_number(head_, body.size(), 10);
    head_ += line_end;
    end_head(after::close);
    outgoing_bytes rest;
    rest.add(head_);
    if (phase_ != phase::answering || method_ != http_method::head) {
        rest.add(body);
    }
    const result<> sent = co_await send(&rest);
    if (sent) {
        parting_ = parting::after_last_word;
    }
}

awaitable<result<>> http_connection::send(outgoing_bytes* rest) {
    return send(rest, std::numeric_limits<std::size_t>::max());
}

awaitable<result<>> http_connection::send(outgoing_bytes* rest, std::size_t budget) {
    const std::size_t wanted = rest->size();
    const result<std::size_t> taken = stream_->write_now(*rest);
    if (!taken) {
        co_return taken.error();
    }
    rest->consume(*taken);
    result<> sent;
    if (stream_->can_write_now() && rest->size() > budget) {
        sent = errc::timed_out;
    } else if (!rest->empty()) {
        sent = co_await stream_->write(rest, service_.settings.write_stall);
    }
    service_.counters.bytes_out += wanted - rest->size();
    co_return sent;
}

// -- leaving ------------------------------------------------------------------------------------------

/// Closing while the other end still sends would reset the connection and take the last answer with it.
awaitable<void> http_connection::part() {
    enter(phase::closing);
    if (parting_ == parting::after_last_word && !input_.has_ended()) {
        const deadline patience{now() + service_.settings.goodbye_time};
        const result<> left = co_await with_deadline(patience, until_other_end_leaves());
        static_cast<void>(left);
    }
    stream_->close();
    while (input_.is_reading()) {
        const result<> waited = co_await wake_.wait();
        static_cast<void>(waited);
    }
}

awaitable<result<>> http_connection::until_other_end_leaves() {
    const result<> told = co_await stream_->shutdown();
    if (!told) {
        co_return told;
    }
    const std::size_t bound = input_.total() + discarded_bytes;
    while (!input_.has_ended() && input_.total() < bound) {
        input_.consume(input_.bytes().size());
        input_.start();
        const result<> waited = co_await wake_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    co_return result<>{};
}

}  // namespace convene
