// SPDX-License-Identifier: Apache-2.0
// What a connection of ours asks of the server, whatever the server's own settings are.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "postgres/connector.hpp"
#include "support/postgres_schema.hpp"

namespace convene {

namespace {

class connections_of_a_worker : public testing::TestWithParam<postgres::session_kind> {
   protected:
    std::string setting(const std::string& name) {
        postgres::request sent;
        sent.add("SELECT current_setting(?1)", name);
        auto answers = loop_.run_until_done(opened_->run(std::move(sent)));
        std::string value;
        if (answers && answers->front().rows.step()) {
            value = answers->front().rows.text(0);
        }
        return value;
    }

    postgres_schema schema_;
    loop loop_;
    postgres::connector opener_{loop_, options()};
    std::unique_ptr<postgres::connection> opened_ = loop_.run_until_done(opener_.open(GetParam()))
                                                        .value();

   private:
    [[nodiscard]] postgres::session_options options() const {
        postgres::session_options to;
        to.address = schema_.address();
        return to;
    }
};

// A commit that was answered is on disk; no plan is compiled (40 ms of each turn went there); a vanished holder is given up.
// Proves: L8, N5
TEST_P(connections_of_a_worker, AskForTheirSettings) {
    const std::map<std::string, std::string> wanted{
        {"synchronous_commit", "on"},
        {"jit", "off"},
        {"default_transaction_isolation", "read committed"},
        {"default_transaction_read_only", "off"},
        {"statement_timeout", "30s"},
        {"client_connection_check_interval", "1s"},
    };
    for (const auto& [name, value] : wanted) {
        EXPECT_EQ(setting(name), value) << name;
    }
    const bool holds_room_locks = GetParam() == postgres::session_kind::commits;
    EXPECT_EQ(setting("idle_session_timeout"), holds_room_locks ? "35s" : "0");
}

INSTANTIATE_TEST_SUITE_P(
    ,
    connections_of_a_worker,
    testing::Values(
        postgres::session_kind::operations,
        postgres::session_kind::commits,
        postgres::session_kind::leases
    )
);

}  // namespace

}  // namespace convene
