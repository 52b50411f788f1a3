// SPDX-License-Identifier: Apache-2.0
// The file channel on a real loop and pool: every delivery is a line of the documented format.
#include "convene/channels/file_channel.hpp"

#include "convene/blocking_pool.hpp"
#include "convene/loop.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/documentation.hpp"
#include "support/temporary_folder.hpp"

namespace convene {
namespace {

class FileChannel : public testing::Test {
   protected:
    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "deliveries.jsonl"; }

    [[nodiscard]] std::shared_ptr<file_channel> open(file_channel_settings with = {}) {
        auto opened = file_channel::open(channel_id{"log"}, file(), pool_, with);
        EXPECT_TRUE(opened.has_value());
        return *opened;
    }

    [[nodiscard]] static delivery_request request_for(std::string id) {
        delivery_request request;
        request.id = delivery_id{std::move(id)};
        return request;
    }

    [[nodiscard]] std::vector<std::string> lines() const {
        std::ifstream in{file()};
        std::vector<std::string> read;
        for (std::string line; std::getline(in, line);) {
            read.push_back(line);
        }
        return read;
    }

    temporary_folder folder_;
    loop loop_;
    blocking_pool pool_{2};  // its threads post to the loop until they are joined
};

// A delivery is one line, whatever its text holds: the very line that the page of the format shows.
TEST_F(FileChannel, WritesTheDocumentedLine) {
    const auto channel = open();
    delivery_request request;
    request.id = delivery_id{"8ae82a7d-04de-5cd9-a0c7-622262b1e9cb"};
    request.attempt = 2;
    request.event.id = event_id{"01890a5d-ac96-774b-bcce-b302099a8057"};
    request.event.room = room_id{"01890a5d-ac00-7000-8000-000000000001"};
    request.event.index = event_index{7};
    request.event.content = content::text("line one\n\"line two\"");
    request.binding.address = "desk";
    const send_result answer = loop_.run_until_done(channel->deliver(request));
    EXPECT_EQ(answer.what, send_result::verdict::sent);
    EXPECT_EQ(lines(), json_examples("formats/delivery-file.md"));
}

awaitable<void> deliver_all(file_channel* to, executor* where, int count) {
    task_scope scope{*where};
    auto deliver = [](file_channel* channel, delivery_request request) -> awaitable<void> {
        const send_result answer = co_await channel->deliver(std::move(request));
        EXPECT_EQ(answer.what, send_result::verdict::sent);
    };
    for (int number = 0; number < count; ++number) {
        delivery_request request;
        request.id = delivery_id{std::to_string(number)};
        scope.spawn("deliver", deliver(to, std::move(request)));
    }
    co_await scope.join();
}

// Thousands at once: each is one whole line, in the order in which they came.
TEST_F(FileChannel, KeepsEachOfManyConcurrentLinesWhole) {
    const auto channel = open({100});
    loop_.run_until_done(deliver_all(channel.get(), &loop_, 3'000));
    const auto written = lines();
    ASSERT_EQ(written.size(), 3'000U);
    for (std::size_t number = 0; number < written.size(); ++number) {
        const std::string start = R"({"v":1,"delivery":")" + std::to_string(number) + "\"";
        ASSERT_TRUE(written[number].starts_with(start)) << written[number];
        ASSERT_TRUE(written[number].ends_with("}"));
    }
}

// The program starts again with the same file: the lines before stay.
TEST_F(FileChannel, GoesOnAfterARestart) {
    const send_result before = loop_.run_until_done(open()->deliver(request_for("d1")));
    const send_result after = loop_.run_until_done(open()->deliver(request_for("d2")));
    EXPECT_EQ(before.what, send_result::verdict::sent);
    EXPECT_EQ(after.what, send_result::verdict::sent);
    EXPECT_EQ(lines().size(), 2U);
}

// The disk is full: a failure that may pass.
TEST_F(FileChannel, FailsForNowWhenItCannotWrite) {
    auto full = file_channel::open(channel_id{"log"}, "/dev/full", pool_);
    ASSERT_TRUE(full.has_value());
    const send_result answer = loop_.run_until_done((*full)->deliver(request_for("d1")));
    EXPECT_EQ(answer.what, send_result::verdict::failed);
    EXPECT_EQ(answer.outcome.error_code, "write_failed");
    EXPECT_TRUE(answer.outcome.is_retryable);
}

// Other workers can write the same file: the channel is not bound to a process.
TEST_F(FileChannel, IsNotBoundToItsProcess) { EXPECT_FALSE(open()->is_bound_to_process()); }

}  // namespace
}  // namespace convene
