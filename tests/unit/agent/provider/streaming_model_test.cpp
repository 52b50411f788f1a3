// SPDX-License-Identifier: Apache-2.0
// Questions to a provider that is played: what is tried again, how long is waited, and what a caller gets.
#include "agent/provider/streaming_model.hpp"

#include "convene/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/provider/openai_provider.hpp"
#include "answer_scene.hpp"
#include "base/log.hpp"
#include "runtime/manual_loop.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string first_words = R"(data: {"choices":[{"delta":{"content":"one"}}]})"
                                "\n\n";
const std::string
    last_words = R"(data: {"choices":[{"delta":{"content":" two"},"finish_reason":"stop"}]})"
                 "\n\n";
const std::string done = "data: [DONE]\n\n";

/// What happens to one request.
struct played_reply {
    error_code not_opened{};
    int status = 200;
    http_headers headers;
    std::vector<std::string> pieces;
    error_code ends_with{};  ///< none: the body ends
    bool goes_silent = false;
};

played_reply answer_of(std::vector<std::string> pieces) {
    played_reply reply;
    reply.pieces = std::move(pieces);
    return reply;
}

played_reply status_of(int status, std::string body = {}) {
    played_reply reply;
    reply.status = status;
    reply.pieces = {std::move(body)};
    return reply;
}

class played_stream final : public http_reply_stream {
   public:
    explicit played_stream(played_reply reply) : reply_(std::move(reply)) {}

    [[nodiscard]] int status() const noexcept override { return reply_.status; }

    [[nodiscard]] const http_headers& headers() const noexcept override { return reply_.headers; }

    [[nodiscard]] awaitable<result<std::string>> read(deadline until) override {
        if (at_ < reply_.pieces.size()) {
            co_return reply_.pieces[at_++];
        }
        if (reply_.goes_silent) {
            const result<> slept = co_await sleep_until(until);
            co_return slept ? make_error_code(errc::timed_out) : slept.error();
        }
        if (reply_.ends_with) {
            co_return reply_.ends_with;
        }
        co_return std::string{};
    }

   private:
    played_reply reply_;
    std::size_t at_ = 0;
};

class StreamingModel : public testing::Test {
   protected:
    StreamingModel() {
        set_log_sink([this](log_level, std::string_view line) { log_.append(line).append("\n"); });
    }

    ~StreamingModel() override { set_log_sink({}); }

    result<model_answer> ask(deadline until = deadline::never()) {
        began_ = where_.now();
        model_request request;
        request.messages.push_back({chat_role::user, "hi"});
        return where_.run(model().answer(std::move(request), &sink_, until));
    }

    error_code failure() {
        const result<model_answer> answer = ask();
        return answer ? error_code{} : answer.error();
    }

    [[nodiscard]] milliseconds waited() const {
        return std::chrono::duration_cast<milliseconds>(where_.now() - began_);
    }

    streaming_model& model() {
        if (!model_) {
            openai_settings settings;
            settings.key = "sk-secret";
            model_ = std::make_unique<streaming_model>(
                std::make_unique<openai_provider>(std::move(settings)),
                limits_,
                streaming_model::parts{
                    [this](http_call call, deadline until) { return open(std::move(call), until); },
                    &random_
                }
            );
        }
        return *model_;
    }

    manual_loop where_;
    scripted_random random_{{0}};
    asking_limits limits_;
    std::deque<played_reply> replies_;
    std::vector<http_call> calls_;
    collecting_sink sink_;
    std::string log_;

   private:
    awaitable<result<std::unique_ptr<http_reply_stream>>> open(http_call call, deadline) {
        calls_.push_back(std::move(call));
        if (replies_.empty()) {
            ADD_FAILURE() << "more requests than expected";
            co_return errc::invalid_argument;
        }
        played_reply next = std::move(replies_.front());
        replies_.pop_front();
        if (next.not_opened) {
            co_return next.not_opened;
        }
        co_return std::make_unique<played_stream>(std::move(next));
    }

    monotonic_time began_{};
    std::unique_ptr<streaming_model> model_;
};

TEST_F(StreamingModel, GivesAnAnswerPieceByPiece) {
    replies_ = {answer_of({first_words + last_words.substr(0, 9), last_words.substr(9), done})};
    const result<model_answer> answer = ask();
    ASSERT_TRUE(answer.has_value());
    EXPECT_THAT(sink_.seen, ElementsAre("say one", "say  two"));
    EXPECT_EQ(answer->message.text, "one two");
    EXPECT_EQ(calls_.size(), 1U);
}

// A busy provider is asked again when it wanted to be; the same request, and the answer is whole.
// Proves: A8
TEST_F(StreamingModel, TriesAgainBeforeTheFirstPiece) {
    played_reply busy = status_of(429);
    busy.headers.add("retry-after", "7");
    played_reply away;
    away.not_opened = errc::unavailable;
    replies_ = {busy, away, status_of(500), answer_of({first_words, last_words, done})};
    const result<model_answer> answer = ask();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(calls_.size(), 4U);
    EXPECT_EQ(calls_.front().body, calls_.back().body);
    EXPECT_EQ(waited(), 7s + 1s + 2s);
    EXPECT_THAT(sink_.seen, ElementsAre("say one", "say  two"));
}

// Proves: A8
TEST_F(StreamingModel, TriesABoundedNumberOfTimes) {
    replies_ = {status_of(503), status_of(500), status_of(502), status_of(529)};
    EXPECT_EQ(failure(), errc::model_overloaded);
    EXPECT_EQ(calls_.size(), 4U);
    calls_.clear();
    replies_ = {status_of(500), status_of(500), status_of(500), status_of(500)};
    EXPECT_EQ(failure(), errc::model_unavailable);
    EXPECT_EQ(calls_.size(), 4U);
}

// A wait that would not end in time is not begun, nor one that is longer than we wait for anybody.
TEST_F(StreamingModel, WaitsNoLongerThanItMay) {
    replies_ = {status_of(500), status_of(500)};
    const result<model_answer> late = ask(deadline{where_.now() + 600ms});
    EXPECT_EQ(late.error(), errc::model_unavailable);
    EXPECT_EQ(calls_.size(), 2U);
    EXPECT_EQ(waited(), 500ms);
    played_reply patient = status_of(429);
    patient.headers.add("retry-after", "3600");
    replies_ = {patient};
    EXPECT_EQ(failure(), errc::model_overloaded);
    EXPECT_EQ(waited(), 0ms);
}

// A refusal of the request itself stays one, and what cannot be reached by rule is never asked again.
TEST_F(StreamingModel, DoesNotRepeatWhatIsRefused) {
    replies_ = {status_of(400)};
    EXPECT_EQ(failure(), errc::model_refused);
    replies_ = {status_of(413)};
    EXPECT_EQ(failure(), errc::payload_too_large);
    played_reply refused;
    refused.not_opened = errc::not_authorized;
    replies_ = {refused};
    EXPECT_EQ(failure(), errc::model_refused);
    played_reply untrusted;
    untrusted.not_opened = errc::io_failed;
    replies_ = {untrusted};
    EXPECT_EQ(failure(), errc::model_unavailable);
    EXPECT_EQ(calls_.size(), 4U);
}

// After the first piece nothing is repeated: whoever took it has it.
// Proves: A8
TEST_F(StreamingModel, IsCutOffBehindTheFirstPiece) {
    played_reply broken = answer_of({first_words});
    broken.ends_with = errc::connection_closed;
    replies_ = {broken};
    EXPECT_EQ(failure(), errc::answer_cut_off);
    replies_ = {answer_of({first_words})};
    EXPECT_EQ(failure(), errc::answer_cut_off) << "the body ended before the answer did";
    replies_ = {answer_of({first_words, "data: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"})};
    EXPECT_EQ(failure(), errc::answer_cut_off);
    replies_ = {answer_of({first_words + "data: {\n\n"})};
    EXPECT_EQ(failure(), errc::answer_cut_off);
    EXPECT_THAT(sink_.seen, ElementsAre("say one", "say one", "say one", "say one"));
    EXPECT_EQ(calls_.size(), 4U);
}

TEST_F(StreamingModel, TriesAgainWhatBreaksOffBeforeIt) {
    played_reply broken = answer_of({": nothing yet\n\n"});
    broken.ends_with = errc::connection_closed;
    replies_ = {
        broken,
        answer_of({"data: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"}),
        answer_of({"<html>\n\n"}),
        answer_of({first_words, last_words, done})
    };
    EXPECT_EQ(failure(), error_code{});
    replies_ = {answer_of({"data: {\"error\":{\"type\":\"invalid_request_error\"}}\n\n"})};
    EXPECT_EQ(failure(), errc::model_refused);
}

// An answer that was complete is one, however its connection ends.
TEST_F(StreamingModel, NeedsNoEndBehindTheLastWord) {
    played_reply unmarked = answer_of({first_words, last_words});
    replies_ = {unmarked};
    EXPECT_EQ(failure(), error_code{});
    unmarked.ends_with = errc::connection_closed;
    replies_ = {unmarked};
    EXPECT_EQ(failure(), error_code{});
    unmarked.goes_silent = true;
    replies_ = {unmarked};
    EXPECT_EQ(failure(), error_code{});
    EXPECT_EQ(waited(), 5s);
    played_reply marked = answer_of({first_words, last_words, done});
    marked.goes_silent = true;
    replies_ = {marked};
    EXPECT_EQ(failure(), error_code{});
    EXPECT_LE(waited(), 1s);
}

// Proves: A8
TEST_F(StreamingModel, IsNotPatientWithSilence) {
    played_reply silent = answer_of({first_words});
    silent.goes_silent = true;
    replies_ = {silent};
    EXPECT_EQ(failure(), errc::answer_cut_off);
    EXPECT_EQ(waited(), 120s);
    replies_ = {silent};
    const result<model_answer> late = ask(deadline{where_.now() + 3s});
    EXPECT_EQ(late.error(), errc::timed_out);
    EXPECT_EQ(waited(), 3s);
}

// A caller that gives up gets its own reason, and no other request is made.
TEST_F(StreamingModel, StopsWhenItIsCancelled) {
    played_reply silent = answer_of({first_words});
    silent.goes_silent = true;
    replies_ = {silent};
    error_code ended;
    task_scope asking{where_};
    auto test = [](streaming_model* asked, model_sink* to, error_code* into) -> awaitable<void> {
        model_request request;
        const auto answer = co_await asked->answer(std::move(request), to, deadline::never());
        *into = answer ? error_code{} : answer.error();
    };
    asking.spawn("ask", test(&model(), &sink_, &ended));
    where_.advance(10s);
    EXPECT_THAT(sink_.seen, ElementsAre("say one"));
    asking.request_stop();
    where_.run(asking.join());
    EXPECT_EQ(ended, errc::cancelled);
    // The same between two attempts.
    replies_ = {status_of(500)};
    task_scope again{where_};
    again.spawn("ask", test(&model(), &sink_, &ended));
    where_.advance(100ms);
    again.request_stop();
    where_.run(again.join());
    EXPECT_EQ(ended, errc::cancelled);
    EXPECT_EQ(calls_.size(), 2U);
}

TEST_F(StreamingModel, EndsWithTheErrorOfItsSink) {
    sink_.refuses = errc::driver_fenced;
    replies_ = {answer_of({first_words, last_words, done})};
    EXPECT_EQ(failure(), errc::driver_fenced);
    EXPECT_EQ(calls_.size(), 1U);
}

TEST_F(StreamingModel, BoundsFramesAndTexts) {
    limits_.answer.frame_bytes = 256;
    limits_.answer.text_bytes = 4;
    replies_ = {answer_of({"data: " + std::string(300, 'x')})};
    EXPECT_EQ(failure(), errc::payload_too_large);
    replies_ = {answer_of({first_words, last_words, done})};
    EXPECT_EQ(failure(), errc::payload_too_large);
    EXPECT_THAT(sink_.seen, ElementsAre("say one"));
}

// What a provider says is in the log, once for each failure, with its id and without our key.
// Proves: A8
TEST_F(StreamingModel, LogsWhatTheProviderSaysWithoutTheKey) {
    played_reply refused = status_of(
        401,
        R"({"error":{"message":"wrong key: sk-secret, or sk-secret?","type":"invalid_request_error"}})"
    );
    refused.headers.add("x-request-id", "req-7");
    replies_ = {refused};
    EXPECT_EQ(failure(), errc::model_refused);
    EXPECT_THAT(log_, HasSubstr("wrong key: ***, or ***?"));
    EXPECT_THAT(log_, HasSubstr("request=req-7"));
    EXPECT_THAT(log_, HasSubstr("status=401"));
    EXPECT_THAT(log_, Not(HasSubstr("sk-secret")));
}

}  // namespace

}  // namespace convene
