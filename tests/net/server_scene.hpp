// SPDX-License-Identifier: Apache-2.0
// A server on loopback with a handler of the test's, run and stopped around the test's coroutine.
#pragma once

#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "net/http_server.hpp"
#include "net/raw_client.hpp"

namespace convene {

class server_scene {
   public:
    explicit server_scene(http_handler handler, http_server_settings settings = {})
        : server(where, impatient(std::move(settings)), std::move(handler)) {
        const result<> started = server.start();
        EXPECT_TRUE(started.has_value());
    }

    [[nodiscard]] std::unique_ptr<raw_client> connect() {
        return std::make_unique<raw_client>(where, server.port());
    }

    /// Runs the test and then stops the server; every connection has ended when this returns.
    void run(awaitable<void> test) {
        where.run_until_done(run_and_stop(this, std::move(test)));
        EXPECT_EQ(server.counters().connections_open, 0U);
    }

    loop where;
    http_server server;

   private:
    /// Clients of a test often outlive the connection; the server need not wait for their good-bye.
    static http_server_settings impatient(http_server_settings settings) {
        settings.goodbye_time = std::min(settings.goodbye_time, milliseconds{50});
        return settings;
    }

    static awaitable<void> run_and_stop(server_scene* scene, awaitable<void> test) {
        co_await std::move(test);
        co_await scene->server.stop();
    }
};

/// How often a test looks.
inline constexpr milliseconds glance{1};

/// Waits until something is true, which the test's patience bounds.
inline awaitable<bool> eventually(std::function<bool()> is_true) {
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + patience};
    while (!is_true()) {
        if (until.has_passed(context.where->now())) {
            co_return false;
        }
        const result<> slept = co_await sleep_for(glance);
        if (!slept) {
            co_return false;
        }
    }
    co_return true;
}

}  // namespace convene
