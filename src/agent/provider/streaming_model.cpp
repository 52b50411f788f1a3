// SPDX-License-Identifier: Apache-2.0
// Requests, and the bytes of their answers; what they mean is decided by the provider's own classes.
#include "agent/provider/streaming_model.hpp"

#include "convene/wait.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/utf8.hpp"
#include "net/sse_frames.hpp"

namespace convene {

namespace {

constexpr int ok = 200;

/// Of a refusal: all that is worth reading, and how long that may take.
constexpr std::size_t most_refusal = 16 * 1024;
constexpr milliseconds refusal_time{5'000};

/// For the end of a body that has said all, so that its connection can be used again.
constexpr milliseconds goodbye_time{100};

/// For what comes behind the last word: usage, and a mark of the end that some servers do not send.
constexpr milliseconds afterword_time{5'000};

constexpr std::size_t most_logged_characters = 300;

/// Providers repeat the key that they refuse.
std::string loggable(std::string_view text, std::string_view key) {
    std::string shown{text};
    for (std::size_t at = 0; !key.empty() && (at = shown.find(key, at)) != std::string::npos;) {
        shown.replace(at, key.size(), "***");
    }
    return std::string{first_code_points(shown, most_logged_characters)};
}

std::string_view request_id_of(const http_headers& headers) {
    for (const std::string_view name : {"x-request-id", "request-id"}) {
        if (const auto id = headers.find(name)) {
            return *id;
        }
    }
    return {};
}

void log_repairs(std::string_view provider, std::string_view request, const repair_record& made) {
    if (!made.empty()) {
        log(log_level::info,
            "model_answer_repaired",
            {{"provider", provider},
             {"request", request},
             {"invalid_utf8", made.invalid_utf8},
             {"lone_surrogates", made.lone_surrogates},
             {"nul_characters", made.nul_characters},
             {"dropped_bytes", made.dropped_bytes}});
    }
}

}  // namespace

/// An answer that is being read.
struct streaming_model::reading {
    std::unique_ptr<http_reply_stream> reply;
    std::unique_ptr<answer_stream> answer;
    sse_frames frames;
    bool has_given = false;  ///< a piece to the sink: nothing may be repeated
    error_code refused_by_sink{};
};

awaitable<result<model_answer>> streaming_model::answer(
    model_request request, model_sink* sink, deadline until
) {
    const coroutine_context context = co_await this_context();
    const http_call call = provider_->call_of(request);
    const call_ids ids{make_seed(), call_ids_of(request.messages)};
    for (std::int32_t made = 1;; ++made) {
        http_call sent = call;
        call_ids usable = ids;
        attempt last = co_await ask_once(std::move(sent), std::move(usable), sink, until);
        if (last.answer || last.advice == retry_advice::give_up) {
            co_return std::move(last.answer);
        }
        const std::optional<milliseconds> delay = delay_before_retry(
            limits_.retries, made, last.retry_after, *with_.random
        );
        if (!delay || until.at() - context.where->now() <= *delay) {
            co_return std::move(last.answer);
        }
        log(log_level::info,
            "model_asked_again",
            {{"provider", provider_->word()}, {"attempt", made + 1}, {"after_ms", delay->count()}});
        const result<> slept = co_await sleep_for(*delay);
        if (!slept) {
            co_return slept.error();
        }
    }
}

awaitable<streaming_model::attempt> streaming_model::ask_once(
    http_call call, call_ids ids, model_sink* sink, deadline until
) {
    const coroutine_context context = co_await this_context();
    const deadline silent{context.where->now() + limits_.silence};
    auto opened = co_await with_.open(std::move(call), silent.sooner(until));
    if (!opened) {
        const result<> stopped = context.check_cancelled();
        if (!stopped) {
            co_return attempt{stopped.error()};
        }
        co_return not_opened(opened.error(), until, context.where->now());
    }
    if ((*opened)->status() != ok) {
        attempt refused = co_await read_refusal(opened->get(), until);
        co_return refused;
    }
    reading from{
        std::move(*opened),
        provider_->read_answer(limits_.answer, std::move(ids)),
        sse_frames{limits_.answer.frame_bytes}
    };
    attempt read = co_await read_answer(&from, sink, until);
    co_return read;
}

awaitable<streaming_model::attempt> streaming_model::read_refusal(
    http_reply_stream* reply, deadline until
) {
    const coroutine_context context = co_await this_context();
    const deadline limit = deadline{context.where->now() + refusal_time}.sooner(until);
    std::string body;
    while (body.size() < most_refusal) {
        const result<std::string> piece = co_await reply->read(limit);
        const result<> stopped = context.check_cancelled();
        if (!stopped) {
            co_return attempt{stopped.error()};
        }
        if (!piece || piece->empty()) {
            break;
        }
        body += *piece;
    }
    const provider_error said = error_of_reply(reply->status(), body);
    log_failure(said, reply->status(), request_id_of(reply->headers()));
    co_return attempt{said.code, said.advice, retry_after_of(reply->headers())};
}

awaitable<streaming_model::attempt> streaming_model::read_answer(
    reading* from, model_sink* sink, deadline until
) {
    const coroutine_context context = co_await this_context();
    const result<> read = co_await read_frames(from, sink, until);
    const result<> stopped = context.check_cancelled();
    if (!stopped) {
        co_return attempt{stopped.error()};
    }
    if (from->refused_by_sink) {
        co_return attempt{from->refused_by_sink};
    }
    // What comes behind the last word says nothing, so that its end does not matter either.
    const bool has_all = from->answer->is_complete() && !from->answer->said();
    if (!has_all) {
        const error_code failure = read ? make_error_code(errc::corrupt_data) : read.error();
        co_return broken_off(*from, failure, until, context.where->now());
    }
    result<model_answer> whole = from->answer->finish();
    if (!whole) {
        co_return broken_off(*from, whole.error(), until, context.where->now());
    }
    const result<> given = co_await give(from, sink);
    if (!given) {
        co_return attempt{given.error()};
    }
    log_repairs(provider_->word(), request_id_of(from->reply->headers()), whole->repairs);
    if (read) {
        const deadline goodbye{context.where->now() + goodbye_time};
        const result<std::string> end = co_await from->reply->read(goodbye.sooner(until));
        static_cast<void>(end);
    }
    co_return attempt{std::move(whole)};
}

/// Until the stream says that it has ended. *Errors*: `connection_closed` when it ends without, `timed_out`, and those
/// of `answer_stream::take`. What came before is given on.
awaitable<result<>> streaming_model::read_frames(reading* from, model_sink* sink, deadline until) {
    const coroutine_context context = co_await this_context();
    while (!from->answer->has_ended()) {
        const milliseconds patience = from->answer->is_complete() ? afterword_time
                                                                  : limits_.silence;
        const deadline silent{context.where->now() + patience};
        const result<std::string> bytes = co_await from->reply->read(silent.sooner(until));
        if (!bytes) {
            co_return bytes.error();
        }
        if (bytes->empty()) {
            co_return errc::connection_closed;
        }
        const result<> fits = from->frames.push(*bytes);
        result<> taken;
        std::optional<sse_frame> frame = from->frames.next();
        while (taken && frame && !from->answer->has_ended()) {
            taken = from->answer->take(*frame);
            frame = from->frames.next();
        }
        const result<> given = co_await give(from, sink);
        if (!given) {
            co_return given;
        }
        if (!taken) {
            co_return taken;
        }
        if (!fits) {
            co_return fits;
        }
    }
    co_return result<>{};
}

awaitable<result<>> streaming_model::give(reading* from, model_sink* sink) {
    std::vector<model_piece> pieces = from->answer->take_pieces();
    for (model_piece& piece : pieces) {
        from->has_given = true;
        const result<> taken = co_await sink->take(std::move(piece));
        if (!taken) {
            from->refused_by_sink = taken.error();
            co_return taken;
        }
    }
    co_return result<>{};
}

streaming_model::attempt streaming_model::not_opened(
    error_code failure, deadline until, monotonic_time now
) const {
    if (until.has_passed(now)) {
        return {errc::timed_out};
    }
    log(log_level::warn, "model_not_reached", {{"provider", provider_->word()}, {"error", failure}}
    );
    // The URL, the key or the address is one that can't be used: no other attempt changes that.
    if (failure == errc::invalid_argument || failure == errc::not_authorized) {
        return {errc::model_refused};
    }
    const bool is_lasting = failure == errc::io_failed || failure == errc::payload_too_large;
    return {errc::model_unavailable, is_lasting ? retry_advice::give_up : retry_advice::ask_again};
}

streaming_model::attempt streaming_model::broken_off(
    const reading& from, error_code failure, deadline until, monotonic_time now
) const {
    const std::string_view request = request_id_of(from.reply->headers());
    if (const std::optional<provider_error>& said = from.answer->said()) {
        log_failure(*said, ok, request);
        if (!from.has_given || said->advice == retry_advice::give_up) {
            return {said->code, said->advice};
        }
        return {errc::answer_cut_off};
    }
    if (failure == errc::timed_out && until.has_passed(now)) {
        return {errc::timed_out};
    }
    log(log_level::warn,
        "model_answer_broken_off",
        {{"provider", provider_->word()}, {"request", request}, {"error", failure}});
    if (failure == errc::payload_too_large) {
        return {errc::payload_too_large};
    }
    if (from.has_given) {
        return {errc::answer_cut_off};
    }
    return {errc::model_unavailable, retry_advice::ask_again};
}

void streaming_model::log_failure(
    const provider_error& said, std::int64_t status, std::string_view request
) const {
    const std::string type = loggable(said.type, provider_->key());
    const std::string text = loggable(said.text, provider_->key());
    log(log_level::warn,
        "model_refused_to_answer",
        {{"provider", provider_->word()},
         {"status", status},
         {"request", request},
         {"type", std::string_view{type}},
         {"text", std::string_view{text}},
         {"error", make_error_code(said.code)}});
}

std::string streaming_model::make_seed() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::uint8_t, 8> bytes{};
    with_.random->fill(bytes);
    std::string seed;
    for (const std::uint8_t byte : bytes) {
        seed += digits[byte >> 4U];
        seed += digits[byte & 0xFU];
    }
    return seed;
}

}  // namespace convene
