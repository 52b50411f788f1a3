// SPDX-License-Identifier: Apache-2.0
// The key of secrets: given, made once, or refused; and where outgoing requests may go.
#include "app/deployment_secrets.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "support/temporary_folder.hpp"

namespace convene {
namespace {

class DeploymentSecrets : public testing::Test {
   protected:
    [[nodiscard]] configuration settings(std::map<std::string, std::string> given = {}) {
        config_sources sources;
        sources.environment = std::move(given);
        return *load_configuration(all_settings(), sources);
    }

    [[nodiscard]] outcome<deployment_key> load(std::map<std::string, std::string> given = {}) {
        return load_deployment_key(settings(std::move(given)), {database_, {}}, system_random());
    }

    void write_key_file(const std::string& text) { std::ofstream{key_file_} << text; }

    temporary_folder folder_;
    std::filesystem::path database_ = folder_.path() / "rooms.db";
    std::filesystem::path key_file_ = folder_.path() / "rooms.db.key";
};

// Without a setting a key is made beside the database, for its owner alone, and is the same from then on.
// Proves: X3
TEST_F(DeploymentSecrets, MakesAKeyOnce) {
    const auto made = load();
    ASSERT_TRUE(made.has_value());
    EXPECT_NE(*made, deployment_key{});
    using std::filesystem::perms;
    EXPECT_EQ(
        std::filesystem::status(key_file_).permissions(), perms::owner_read | perms::owner_write
    );
    EXPECT_EQ(*load(), *made);
}

// A key that is given is used, and no file is made.
// Proves: X3
TEST_F(DeploymentSecrets, TakesTheKeyThatIsGiven) {
    deployment_key key{};
    key[3] = 7;
    EXPECT_EQ(*load({{"SECRETS_KEY", text_of(key)}}), key);
    EXPECT_FALSE(std::filesystem::exists(key_file_));
}

// A file without a key in it is not replaced: what was sealed under the one that was there would be lost.
// Proves: X3
TEST_F(DeploymentSecrets, RefusesAFileThatHoldsNoKey) {
    write_key_file("not a key\n");
    const auto refused = load();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().ends_with, exit_code::database_problem);
    EXPECT_NE(refused.error().text.find(key_file_.native()), std::string::npos);
    write_key_file("");
    EXPECT_FALSE(load().has_value());
}

// Public addresses may be reached, and what was allowed by range or by name; nothing else.
// Proves: X2
TEST_F(DeploymentSecrets, AllowsWhatIsNamed) {
    const auto address = [](const char* text) { return net_address::parse(text).value(); };
    const address_policy closed = outgoing_policy_of(settings());
    EXPECT_TRUE(closed.allows("example.com", address("93.184.216.34")));
    EXPECT_FALSE(closed.allows("crm.internal", address("10.1.2.3")));
    const address_policy open = outgoing_policy_of(
        settings({{"OUTGOING_ALLOWED", "10.1.0.0/16,crm.internal,"}})
    );
    EXPECT_TRUE(open.allows("other.internal", address("10.1.2.3")));
    EXPECT_TRUE(open.allows("crm.internal", address("192.168.0.1")));
    EXPECT_FALSE(open.allows("other.internal", address("10.2.0.1")));
}

}  // namespace
}  // namespace convene
