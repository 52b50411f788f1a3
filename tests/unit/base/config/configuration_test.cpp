// SPDX-License-Identifier: Apache-2.0
// Configuration: the order of the sources, what is refused and in which words, what is shown.
#include "base/config/configuration.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "support/temporary_folder.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// Loads the real table from what a test sets.
class configuration_test : public testing::Test {
   protected:
    std::string write(std::string_view name, std::string_view content) {
        const std::filesystem::path path = folder_.path() / name;
        std::ofstream{path, std::ios::binary} << content;
        return path.string();
    }

    void use_file(std::string_view content) { sources_.file = write("convene.toml", content); }

    configuration loaded() {
        loaded_configuration answer = load_configuration(all_settings(), sources_);
        EXPECT_TRUE(answer) << (answer ? "" : answer.error().front().message());
        return *std::move(answer);
    }

    /// The one problem there is.
    std::string refused() {
        const loaded_configuration answer = load_configuration(all_settings(), sources_);
        if (answer) {
            return "accepted";
        }
        EXPECT_EQ(answer.error().size(), 1U);
        return answer.error().front().message();
    }

    config_sources sources_;
    temporary_folder folder_;
};

// The table itself: one name, one flag spelled from it, a default its own rule allows.
// Proves: O5
TEST(AllSettings, AreDefinedConsistently) {
    std::set<std::string_view> names;
    for (const setting& what : all_settings()) {
        EXPECT_TRUE(names.insert(what.name).second) << what.name;
        std::string flag = "--";
        for (const char c : what.name) {
            flag += c == '_' ? '-' : static_cast<char>(std::tolower(c));
        }
        EXPECT_EQ(what.flag, flag);
        EXPECT_TRUE(parse_setting(what, what.default_value)) << what.name;
        EXPECT_TRUE(what.help.ends_with('.')) << what.name;
        EXPECT_FALSE(what.name.ends_with("_FILE")) << "the suffix is for secrets' files";
    }
}

// Proves: O5
TEST_F(configuration_test, StartsWithTheDefaults) {
    const configuration config = loaded();
    EXPECT_EQ(config.text("DB_URL"), "sqlite:///convene.db");
    EXPECT_EQ(config.duration("DELIVERY_GAP_TIMEOUT"), 30s);
    EXPECT_EQ(config.duration("DELIVERY_WAIT_TIMEOUT"), 30s);
    EXPECT_EQ(config.text("DELIVERY_RECOVERY"), "redeliver");
    EXPECT_EQ(config.duration("PROCESS_TIMEOUT"), 30s);
    EXPECT_EQ(config.duration("SET_DEADLINE"), 10s);
    EXPECT_EQ(config.text("LOG_LEVEL"), "info");
    for (const configuration::entry& entry : config.entries()) {
        EXPECT_EQ(entry.origin, "default");
    }
}

// A flag goes before our own variable, that before the plain one, that before the file.
// Proves: O5
TEST_F(configuration_test, PrefersTheHigherSource) {
    use_file("process_timeout = 1\n");
    EXPECT_EQ(loaded().duration("PROCESS_TIMEOUT"), 1s);
    sources_.environment["PROCESS_TIMEOUT"] = "2";
    EXPECT_EQ(loaded().duration("PROCESS_TIMEOUT"), 2s);
    sources_.environment["CONVENE_PROCESS_TIMEOUT"] = "3";
    EXPECT_EQ(loaded().duration("PROCESS_TIMEOUT"), 3s);
    sources_.flags["--process-timeout"] = "4";
    EXPECT_EQ(loaded().duration("PROCESS_TIMEOUT"), 4s);
    EXPECT_EQ(loaded().duration("SET_DEADLINE"), 10s);
}

// Other programs' variables are theirs, and an empty one is how deployment tools write "not set".
// Proves: O5
TEST_F(configuration_test, IgnoresForeignAndEmptyVariables) {
    sources_.environment = {{"PATH", "/bin"}, {"DB_URI", "x"}, {"PROCESS_TIMEOUT", ""}};
    EXPECT_EQ(loaded().duration("PROCESS_TIMEOUT"), 30s);
}

// `URL` and `TOKEN` alone mean something else to other programs: ours are read with our prefix only.
// Proves: O5
TEST_F(configuration_test, LeavesCommonNamesToOthers) {
    sources_.environment = {
        {"URL", "http://other"}, {"TOKEN", "theirs"}, {"TOKEN_FILE", "/absent"}, {"CA", "x"}
    };
    EXPECT_EQ(loaded().text("URL"), "");
    EXPECT_EQ(loaded().text("TOKEN"), "");
    EXPECT_EQ(loaded().text("CA"), "");
    sources_.environment["CONVENE_URL"] = "https://convene.example/behind";
    sources_.environment["CONVENE_TOKEN_FILE"] = write("token", "cvt_ours\n");
    EXPECT_EQ(loaded().text("URL"), "https://convene.example/behind");
    EXPECT_EQ(loaded().text("TOKEN"), "cvt_ours");
    for (const char* wrong : {"convene.example", "ftp://x", "http://", "http://x/?a=b"}) {
        sources_.environment["CONVENE_URL"] = wrong;
        EXPECT_NE(refused().find("CONVENE_URL (environment)"), std::string::npos) << wrong;
    }
}

// Proves: O5
TEST_F(configuration_test, RefusesUnknownNamesInEverySource) {
    sources_.flags["--process-timout"] = "4";
    EXPECT_EQ(
        refused(), "--process-timout (flag): is not a setting; did you mean --process-timeout?"
    );
    sources_.flags.clear();
    sources_.environment["CONVENE_DB_URI"] = "x";
    EXPECT_EQ(
        refused(), "CONVENE_DB_URI (environment): is not a setting; did you mean CONVENE_DB_URL?"
    );
    sources_.environment.clear();
    use_file("\nlog_levle = \"info\"\n");
    EXPECT_EQ(
        refused(),
        "log_levle (" + sources_.file->string() + ":2): is not a setting; did you mean log_level?"
    );
    use_file("telepathy = true");
    EXPECT_EQ(refused(), "telepathy (" + sources_.file->string() + ":1): is not a setting");
}

// Proves: O5
TEST_F(configuration_test, RefusesValuesNamingSourceAndRange) {
    sources_.environment["PROCESS_TIMEOUT"] = "99h\n";
    EXPECT_EQ(
        refused(),
        "PROCESS_TIMEOUT (environment): \"99h\\n\" is not allowed; allowed is a duration from "
        "100ms to "
        "10m, such as 30 (seconds), 500ms or 2m"
    );
    sources_.environment.clear();
    sources_.flags["--delivery-recovery"] = "retry";
    EXPECT_EQ(
        refused(),
        "--delivery-recovery (flag): \"retry\" is not allowed; allowed is redeliver or skip"
    );
}

// A wrong value that a higher source hides would strike on the day the other is removed.
// Proves: O5
TEST_F(configuration_test, RefusesAWrongValueThatIsNotUsed) {
    use_file("log_level = \"loud\"");
    sources_.flags["--log-level"] = "debug";
    EXPECT_NE(refused(), "accepted");
}

// Everything that is wrong is said at once.
// Proves: O5
TEST_F(configuration_test, ReportsAllProblems) {
    sources_.flags["--nonsense"] = "1";
    sources_.environment["SET_DEADLINE"] = "soon";
    use_file("log_level = 3");
    const loaded_configuration answer = load_configuration(all_settings(), sources_);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().size(), 3U);
}

// A secret may come from a file; the line end that an editor left is not part of it.
// Proves: O5
TEST_F(configuration_test, ReadsSecretsFromFiles) {
    const std::string path = write("db_url", "postgresql://ann:pw@db/x\r\n");
    sources_.environment["DB_URL_FILE"] = path;
    EXPECT_EQ(loaded().text("DB_URL"), "postgresql://ann:pw@db/x");
    sources_.environment = {{"CONVENE_DB_URL_FILE", path}};
    EXPECT_EQ(loaded().text("DB_URL"), "postgresql://ann:pw@db/x");
    sources_.environment.clear();
    sources_.flags["--db-url-file"] = path;
    EXPECT_EQ(loaded().text("DB_URL"), "postgresql://ann:pw@db/x");
    sources_.flags.clear();
    use_file("db_url_file = \"" + path + "\"");
    EXPECT_EQ(loaded().text("DB_URL"), "postgresql://ann:pw@db/x");
}

// Proves: O5
TEST_F(configuration_test, RefusesASecretGivenTwiceOrNotReadable) {
    sources_.environment["DB_URL"] = "sqlite:///a";
    sources_.environment["DB_URL_FILE"] = write("db_url", "sqlite:///b");
    EXPECT_EQ(refused(), "DB_URL_FILE (environment): stands beside DB_URL; give one of them");
    sources_.environment = {{"DB_URL_FILE", (folder_.path() / "absent").string()}};
    EXPECT_NE(refused().find("names a file that cannot be read"), std::string::npos);
    sources_.environment = {{"DB_URL_FILE", write("huge", std::string(100'000, 'x'))}};
    EXPECT_NE(refused().find("names a file that cannot be read"), std::string::npos);
    sources_.environment = {{"DB_URL_FILE", folder_.path().string()}};
    EXPECT_NE(refused().find("names a file that cannot be read"), std::string::npos);
}

// The suffix is for secrets: nothing else is read from a file of that name.
TEST_F(configuration_test, ReadsNothingButSecretsFromFiles) {
    sources_.flags["--log-level-file"] = write("level", "debug");
    EXPECT_EQ(refused(), "--log-level-file (flag): is not a setting; did you mean --log-level?");
}

// Proves: O5, X3
TEST_F(configuration_test, KeepsSecretsOutOfErrors) {
    sources_.environment["DB_URL"] = "mysql://ann:s3cret@db/x";
    EXPECT_EQ(refused().find("s3cret"), std::string::npos);
    EXPECT_NE(refused().find("this value is not allowed"), std::string::npos);
}

TEST_F(configuration_test, FindsItsFileByVariable) {
    sources_.environment["CONVENE_CONFIG"] = write("other.toml", "set_deadline = \"2m\"");
    EXPECT_EQ(loaded().duration("SET_DEADLINE"), 2min);
    use_file("set_deadline = 7");
    EXPECT_EQ(loaded().duration("SET_DEADLINE"), 7s) << "the file that was named goes first";
}

// Proves: O5
TEST_F(configuration_test, RefusesAFileItCannotUse) {
    sources_.file = folder_.path() / "absent.toml";
    EXPECT_NE(refused().find("absent.toml"), std::string::npos);
    use_file("db_url = ");
    EXPECT_NE(refused().find("convene.toml:1"), std::string::npos);
    use_file("#" + std::string(2'000'000, 'x'));
    EXPECT_NE(refused(), "accepted");
}

// What is shown can be kept as a file, and has no password in it.
// Proves: O5, X3
TEST_F(configuration_test, PrintsADocumentThatReadsBack) {
    sources_.flags["--db-url"] = "postgresql://ann:s3cret@db/x";
    sources_.environment["CONVENE_SET_DEADLINE"] = "1.5";
    use_file("delivery_recovery = \"skip\"");
    const std::string path = sources_.file->string();
    const std::string document = print_config(loaded());
    EXPECT_EQ(
        document,
        "db_url = \"postgresql://ann:***@db/x\"  # flag\n"
        "lock_db_url = \"\"  # default\n"
        "url = \"\"  # default\n"
        "token = \"***\"  # default\n"
        "ca = \"\"  # default\n"
        "retry_for = \"10s\"  # default\n"
        "delivery_gap_timeout = \"30s\"  # default\n"
        "delivery_wait_timeout = \"30s\"  # default\n"
        "delivery_recovery = \"skip\"  # " +
            path +
            ":1\n"
            "process_timeout = \"30s\"  # default\n"
            "set_deadline = \"1500ms\"  # environment\n"
            "host = \"127.0.0.1\"  # default\n"
            "port = 8080  # default\n"
            "app_base_url = \"\"  # default\n"
            "web_dir = \"\"  # default\n"
            "tls_certificate = \"\"  # default\n"
            "tls_key = \"\"  # default\n"
            "tls_client_ca = \"\"  # default\n"
            "bootstrap_token = \"***\"  # default\n"
            "secrets_key = \"\"  # default\n"
            "outgoing_allowed = \"\"  # default\n"
            "lock_pool_max_size = 8  # default\n"
            "lease_max_per_worker = 2000  # default\n"
            "agent_turn_timeout_seconds = 3600  # default\n"
            "session_runner_concurrency = 4  # default\n"
            "session_frames_retention_days = 7  # default\n"
            "session_runs_retention_days = 90  # default\n"
            "skills_dir = \"\"  # default\n"
            "skills_clone_timeout_seconds = 120  # default\n"
            "skills_prune_grace_seconds = 3600  # default\n"
            "skills_git_ca = \"\"  # default\n"
            "skills_local_repositories = false  # default\n"
            "rate_limit_per_user = 50  # default\n"
            "rate_limit_per_token = 2000  # default\n"
            "attachment_max_bytes = 26214400  # default\n"
            "attachment_room_max_bytes = 1073741824  # default\n"
            "attachment_organization_max_bytes = 21474836480  # default\n"
            "openai_base_url = \"https://api.openai.com/v1\"  # default\n"
            "openai_api_key = \"\"  # default\n"
            "openai_model = \"\"  # default\n"
            "openai_tokens_field = \"auto\"  # default\n"
            "anthropic_base_url = \"https://api.anthropic.com\"  # default\n"
            "anthropic_api_key = \"\"  # default\n"
            "anthropic_model = \"\"  # default\n"
            "anthropic_thinking_tokens = 0  # default\n"
            "log_level = \"info\"  # default\n"
    );
    sources_ = {};
    use_file(document);
    EXPECT_EQ(loaded().duration("SET_DEADLINE"), 1500ms);
    EXPECT_EQ(loaded().text("DELIVERY_RECOVERY"), "skip");
}

TEST_F(configuration_test, ReadsEachKindByItsOwnAccessor) {
    constexpr setting table[] = {
        {.name = "N",
         .flag = "--n",
         .kind = setting_kind::integer,
         .default_value = "5",
         .help = "."},
        {.name = "B",
         .flag = "--b",
         .kind = setting_kind::boolean,
         .default_value = "true",
         .help = "."},
    };
    const loaded_configuration answer = load_configuration(table, {});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->integer("N"), 5);
    EXPECT_TRUE(answer->boolean("B"));
    EXPECT_EQ(print_config(*answer), "n = 5  # default\nb = true  # default\n");
}

TEST_F(configuration_test, AbortsOnASettingThatDoesNotExist) {
    const configuration config = loaded();
    EXPECT_DEATH(static_cast<void>(config.text("NOPE")), "table does not have");
    EXPECT_DEATH(static_cast<void>(config.text("SET_DEADLINE")), "text that is none");
    EXPECT_DEATH(static_cast<void>(config.integer("DB_URL")), "integer that is none");
    EXPECT_DEATH(static_cast<void>(config.duration("DB_URL")), "duration that is none");
    EXPECT_DEATH(static_cast<void>(config.boolean("DB_URL")), "boolean that is none");
}

TEST(ProcessEnvironment, HasTheVariablesOfThisProcess) {
    ASSERT_EQ(::setenv("CONVENE_TEST_VARIABLE", "a=b", 1), 0);
    EXPECT_EQ(process_environment()["CONVENE_TEST_VARIABLE"], "a=b");
    ASSERT_EQ(::unsetenv("CONVENE_TEST_VARIABLE"), 0);
    EXPECT_EQ(process_environment().count("CONVENE_TEST_VARIABLE"), 0U);
}

}  // namespace

}  // namespace convene
