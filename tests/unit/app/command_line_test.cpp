// SPDX-License-Identifier: Apache-2.0
// Tests of the command line.
#include "app/command_line.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace convene {

namespace {

parsed_command_line parse(std::initializer_list<const char*> arguments) {
    std::vector<const char*> argv{"convene"};
    argv.insert(argv.end(), arguments);
    return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

template <class Options>
Options options_of(std::initializer_list<const char*> arguments) {
    const parsed_command_line parsed = parse(arguments);
    const auto* line = std::get_if<command_line>(&parsed);
    EXPECT_NE(line, nullptr);
    return line == nullptr ? Options{} : std::get<Options>(line->command);
}

TEST(CommandLine, ReadsEachCommandsOptions) {
    const auto import = options_of<import_options>(
        {"import", "-", "--deliver-to", "file:out", "--concurrency", "3"}
    );
    EXPECT_EQ(import.input, "-");
    EXPECT_EQ(import.deliver_to, "out");
    EXPECT_EQ(import.concurrency, 3U);

    const auto tail = options_of<tail_options>({"tail", "a", "-f", "--after", "-1", "--json"});
    EXPECT_EQ(tail.mode, tail_mode::follow);
    EXPECT_EQ(tail.after, event_index::none());
    EXPECT_EQ(tail.form, output_form::json);

    const auto send = options_of<send_options>({"send", "a", "--create", "--", "-1 degree"});
    EXPECT_EQ(send.text, "-1 degree");
    EXPECT_EQ(send.speaker, "operator");
    EXPECT_EQ(send.if_missing, missing_room::create);

    EXPECT_EQ(
        options_of<rooms_options>({"rooms", "--status", "closed"}).status, room_status::closed
    );
    EXPECT_EQ(options_of<dedupe_options>({"dedupe", "--apply"}).mode, repair_mode::apply);

    EXPECT_EQ(options_of<lanes_options>({"lanes"}).verb, lane_verb::list);
    const auto skip = options_of<lanes_options>({"lanes", "skip", "a", "--index", "4", "--json"});
    EXPECT_EQ(skip.verb, lane_verb::skip);
    EXPECT_EQ(skip.room, "a");
    EXPECT_EQ(skip.index, 4);
    EXPECT_EQ(options_of<lanes_options>({"lanes", "redeliver", "a", "--event", "e"}).event, "e");
    EXPECT_EQ(options_of<leases_options>({"leases", "--waiting"}).view, lease_view::waiting);
    EXPECT_EQ(options_of<turns_options>({"turns", "--status", "failed"}).status, "failed");
    EXPECT_EQ(options_of<turns_options>({"turns", "list"}).retried, "");
    EXPECT_EQ(options_of<turns_options>({"turns", "retry", "t"}).retried, "t");
    const auto release = options_of<leases_options>({"leases", "release", "n", "--confirm"});
    EXPECT_EQ(release.released, "n");
    EXPECT_EQ(release.mode, release_mode::confirmed);
    EXPECT_EQ(release.otherwise, stubborn_holder::keeps_it);
    const auto ending = options_of<leases_options>(
        {"leases", "release", "n", "--confirm", "--end-session"}
    );
    EXPECT_EQ(ending.otherwise, stubborn_holder::loses_its_session);
    EXPECT_EQ(options_of<leases_options>({"leases", "release", "n"}).mode, release_mode::preview);

    const auto asked = options_of<approvals_options>({"approvals"});
    EXPECT_EQ(asked.verb, approval_verb::list);
    EXPECT_EQ(asked.status, "pending");
    const auto returned = options_of<approvals_options>(
        {"approvals", "return", "a", "--response", "less", "--json"}
    );
    EXPECT_EQ(returned.verb, approval_verb::return_);
    EXPECT_EQ(returned.approval, "a");
    EXPECT_EQ(returned.response, "less");
    EXPECT_EQ(options_of<executions_options>({"executions"}).verb, execution_verb::list);
    const auto ended = options_of<executions_options>({"executions", "cancel", "e", "--json"});
    EXPECT_EQ(ended.verb, execution_verb::cancel);
    EXPECT_EQ(ended.id, "e");
    EXPECT_EQ(options_of<run_options>({"run", "w"}).target, "w");
    EXPECT_TRUE(options_of<run_options>({"run", "w", "--draft"}).is_draft);
}

// Settings are taken for the configuration, wherever they stand and under either name.
TEST(CommandLine, CollectsSettingsAsFlags) {
    for (const auto& parsed :
         {parse({"--db", "sqlite:///x", "rooms"}), parse({"rooms", "--db-url", "sqlite:///x"})}) {
        const auto* line = std::get_if<command_line>(&parsed);
        ASSERT_NE(line, nullptr);
        EXPECT_EQ(line->sources.flags.at("--db-url"), "sqlite:///x");
    }
}

TEST(CommandLine, AnswersHelp) {
    for (const auto& parsed :
         {parse({"--help"}), parse({"tail", "--help"}), parse({"tail", "a", "-h"})}) {
        EXPECT_TRUE(std::holds_alternative<help_text>(parsed));
    }
}

TEST(CommandLine, RefusesWhatItDoesNotKnow) {
    for (const auto& parsed :
         {parse({}),
          parse({"dance"}),
          parse({"send", "a"}),
          parse({"send", "a", "b", "c"}),
          parse({"rooms", "--status", "odd"}),
          parse({"import", "f", "--deliver-to", "out"}),
          parse({"import", "f", "--concurrency", "0"}),
          parse({"tail", "a", "--after", "-2"})}) {
        const auto* wrong = std::get_if<failure>(&parsed);
        ASSERT_NE(wrong, nullptr);
        EXPECT_EQ(wrong->ends_with, exit_code::usage);
        EXPECT_FALSE(wrong->text.empty());
        EXPECT_NE(wrong->remedy.find("--help"), std::string::npos);
    }
}

}  // namespace

}  // namespace convene
