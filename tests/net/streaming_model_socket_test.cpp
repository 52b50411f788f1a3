// SPDX-License-Identifier: Apache-2.0
// Models over real sockets: answers byte by byte, silence, refusals, connections that die, callers that leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/provider/model_factory.hpp"
#include "net/server_scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

const std::string openai_words =
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hi \U0001F469\u200D\U0001F680!\"}}]}\n\n";
const std::string openai_end =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const std::string anthropic_answer =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n"
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
    "\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi \U0001F469\u200D\U0001F680!\"}}\n\n"
    "event: message_delta\ndata: "
    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

enum class behaviour { whole, byte_by_byte, stalls, dies, never_ends_a_frame };

struct planned {
    int status = 200;
    std::string text{};
    behaviour how = behaviour::whole;
    std::string retry_after{};
};

/// A provider: one planned reply for each request.
class played_provider {
   public:
    explicit played_provider(std::deque<planned> plan) : plan_(std::move(plan)) {}

    http_handler handler() {
        return [this](http_request request) { return answer(std::move(request)); };
    }

    std::vector<http_request> requests;
    std::optional<error_code> ended;  ///< how the last body that was not whole ended here

   private:
    awaitable<http_answer> answer(http_request request) {
        requests.push_back(std::move(request));
        planned next = plan_.empty() ? planned{400} : std::move(plan_.front());
        if (!plan_.empty()) {
            plan_.pop_front();
        }
        http_stream stream;
        stream.status = next.status;
        stream.headers.add("content-type", "text/event-stream");
        if (!next.retry_after.empty()) {
            stream.headers.add("retry-after", next.retry_after);
        }
        if (next.how == behaviour::dies) {
            stream.length = next.text.size() + 1;
        }
        stream.produce = [this, next](http_body_sink* sink) { return write(sink, next); };
        co_return http_answer{std::move(stream)};
    }

    awaitable<void> write(http_body_sink* sink, planned what) {
        const std::size_t piece = what.how == behaviour::byte_by_byte ? 1 : what.text.size() + 1;
        result<> written;
        for (std::size_t at = 0; at < what.text.size() && written; at += piece) {
            written = co_await sink->write(what.text.substr(at, piece));
        }
        if (written && what.how == behaviour::stalls) {
            written = co_await never_.wait();
        }
        constexpr int most_pieces = 1000;
        for (int i = 0; i < most_pieces && what.how == behaviour::never_ends_a_frame && written;
             ++i) {
            written = co_await sink->write(std::string(64 * 1024, 'x'));
        }
        ended = written ? error_code{} : written.error();
    }

    std::deque<planned> plan_;
    wait_flag never_;
};

class text_sink final : public model_sink {
   public:
    [[nodiscard]] awaitable<result<>> take(model_piece piece) override {
        if (const auto* const said = std::get_if<text_piece>(&piece)) {
            text += said->text;
        }
        co_return result<>{};
    }

    std::string text;
};

/// A provider, and a model that asks it.
class model_scene {
   public:
    explicit model_scene(
        std::deque<planned> plan, std::string word = "openai", milliseconds silence = patience
    )
        : site(std::move(plan)), server_(site.handler()), client_(server_.where, local_settings()) {
        model_settings settings;
        settings.provider = std::move(word);
        settings.base_url = "http://127.0.0.1:" + std::to_string(server_.server.port());
        settings.key = "sk-test";
        settings.model = "m";
        settings.limits = limits_for_tests(silence);
        streaming_model::parts with{
            [this](http_call call, deadline until) { return client_.open(std::move(call), until); },
            &system_random()
        };
        auto made = make_model(std::move(settings), std::move(with));
        EXPECT_TRUE(made.has_value());
        model_ = *std::move(made);
    }

    result<model_answer> ask() {
        std::optional<result<model_answer>> answer;
        server_.run(ask_into(&answer));
        return std::move(*answer);
    }

    void run(awaitable<void> test) { server_.run(std::move(test)); }

    awaitable<void> ask_into(std::optional<result<model_answer>>* into) {
        const coroutine_context context = co_await this_context();
        const deadline until{context.where->now() + patience};
        model_request request;
        request.messages.push_back({chat_role::user, "hi"});
        result<model_answer> answer = co_await model_->answer(std::move(request), &sink, until);
        into->emplace(std::move(answer));
    }

    played_provider site;
    text_sink sink;

   private:
    static http_client_settings local_settings() {
        http_client_settings settings;
        settings.policy.allow_host("127.0.0.1");
        return settings;
    }

    static asking_limits limits_for_tests(milliseconds silence) {
        asking_limits limits;
        limits.retries.first_delay = 1ms;
        limits.silence = silence;
        limits.answer.frame_bytes = 100'000;
        return limits;
    }

    server_scene server_;
    http_client client_;
    std::unique_ptr<chat_model> model_;
};

// Every byte in a chunk of its own: characters of many bytes come out whole.
// Proves: A8
TEST(ModelOverSockets, ReadsAnAnswerByteByByte) {
    model_scene openai{{{200, openai_words + openai_end, behaviour::byte_by_byte}}};
    const auto first = openai.ask();
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(openai.sink.text, "Hi \U0001F469\u200D\U0001F680!");
    ASSERT_EQ(openai.site.requests.size(), 1U);
    EXPECT_EQ(openai.site.requests[0].path, "/chat/completions");
    EXPECT_EQ(openai.site.requests[0].headers.find("authorization"), "Bearer sk-test");
    EXPECT_THAT(openai.site.requests[0].body, testing::HasSubstr("\"stream\":true"));

    model_scene anthropic{{{200, anthropic_answer, behaviour::byte_by_byte}}, "anthropic"};
    const auto second = anthropic.ask();
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(anthropic.sink.text, "Hi \U0001F469\u200D\U0001F680!");
    EXPECT_EQ(anthropic.site.requests[0].path, "/v1/messages");
    EXPECT_EQ(anthropic.site.requests[0].headers.find("x-api-key"), "sk-test");
}

// Proves: A8
TEST(ModelOverSockets, AsksABusyProviderAgain) {
    model_scene scene{
        {{429, "{}", behaviour::whole, "0.01"}, {500}, {200, openai_words + openai_end}}
    };
    const auto answer = scene.ask();
    EXPECT_TRUE(answer.has_value());
    EXPECT_EQ(scene.site.requests.size(), 3U);
}

// Proves: A8
TEST(ModelOverSockets, GivesUpAfterABoundedNumberOfRequests) {
    model_scene scene{{{500}, {502}, {503}, {500}, {200, openai_words + openai_end}}};
    const auto answer = scene.ask();
    EXPECT_EQ(answer.error(), errc::model_unavailable);
    EXPECT_EQ(scene.site.requests.size(), 4U);
}

// Proves: A8
TEST(ModelOverSockets, IsCutOffWhenTheConnectionDies) {
    model_scene scene{{{200, openai_words, behaviour::dies}}};
    const auto answer = scene.ask();
    EXPECT_EQ(answer.error(), errc::answer_cut_off);
    EXPECT_EQ(scene.sink.text, "Hi \U0001F469\u200D\U0001F680!");
    EXPECT_EQ(scene.site.requests.size(), 1U);
}

// A provider that falls silent is left.
// Proves: A8
TEST(ModelOverSockets, LeavesASilentProvider) {
    model_scene scene{{{200, openai_words, behaviour::stalls}}, "openai", 300ms};
    const auto answer = scene.ask();
    EXPECT_EQ(answer.error(), errc::answer_cut_off);
    EXPECT_TRUE(scene.site.ended && scene.site.ended->failed());
}

// A frame without an end is not collected for ever, and its sender is left.
TEST(ModelOverSockets, RefusesAFrameWithoutEnd) {
    model_scene scene{{{200, "data: ", behaviour::never_ends_a_frame}}};
    const auto answer = scene.ask();
    EXPECT_EQ(answer.error(), errc::payload_too_large);
    EXPECT_TRUE(scene.site.ended && scene.site.ended->failed());
}

// Whoever cancels a question ends it at the provider as well.
// Proves: A8
TEST(ModelOverSockets, ClosesTheConnectionWhenItIsCancelled) {
    model_scene scene{{{200, openai_words, behaviour::stalls}}};
    auto test = [](model_scene* on) -> awaitable<void> {
        const coroutine_context context = co_await this_context();
        std::optional<result<model_answer>> answer;
        task_scope asking{*context.where};
        asking.spawn("ask", on->ask_into(&answer));
        const auto see_words = [on] { return !on->sink.text.empty(); };
        const bool has_begun = co_await eventually(see_words);
        EXPECT_TRUE(has_begun);
        EXPECT_FALSE(on->site.ended.has_value());
        asking.request_stop();
        co_await asking.join();
        EXPECT_TRUE(answer && answer->has_error() && answer->error() == errc::cancelled);
        const auto see_is_over = [on] { return on->site.ended.has_value(); };
        const bool is_over = co_await eventually(see_is_over);
        EXPECT_TRUE(is_over);
    };
    scene.run(test(&scene));
}

// Nobody there: asked as often as anybody, and then told.
TEST(ModelOverSockets, SaysThatNobodyIsThere) {
    loop where;
    http_client_settings allowed;
    allowed.policy.allow_host("127.0.0.1");
    http_client client{where, allowed};
    int asked = 0;
    model_settings settings;
    settings.provider = "openai";
    settings.base_url = "http://127.0.0.1:1";
    settings.limits.retries.first_delay = 1ms;
    streaming_model::parts with{
        [&](http_call call, deadline until) {
            ++asked;
            return client.open(std::move(call), until);
        },
        &system_random()
    };
    auto model = make_model(std::move(settings), std::move(with));
    ASSERT_TRUE(model.has_value());
    text_sink sink;
    const auto answer = where.run_until_done((*model)->answer({}, &sink, deadline::never()));
    EXPECT_EQ(answer.error(), errc::model_unavailable);
    EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace convene
