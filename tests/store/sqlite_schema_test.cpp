// SPDX-License-Identifier: Apache-2.0
// The SQLite layout: the message path reads by index only, and no index makes a commit pay for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "store/channel_values.hpp"
#include "store/operations/sessions.hpp"
#include "store/operations/workflows.hpp"
#include "store/skill_values.hpp"
#include "store/sqlite/schema.hpp"
#include "store/sqlite_database.hpp"
#include "support/documentation.hpp"

namespace convene::sqlite {

namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SqliteSchema : public testing::Test {
   protected:
    SqliteSchema() {
        // What opening a file needs is looked at once, when a process starts.
        const std::vector<std::string> opening = database_.db().cached_texts();
        opening_.insert(opening.begin(), opening.end());
    }

    template <class Op>
    void run(Op request) {
        EXPECT_TRUE(database_.run(std::move(request)));
    }

    /// Of something that is not there.
    template <class Op>
    void look(Op request) {
        EXPECT_FALSE(database_.run(std::move(request)));
    }

    /// The steps of the plans of all statements used so far that read whatever they are not led to
    /// by an index.
    [[nodiscard]] std::vector<std::string> scans() {
        std::vector<std::string> found;
        database_.db().forget_failure();
        for (const std::string& text : database_.db().cached_texts()) {
            if (opening_.contains(text)) {
                continue;
            }
            query plan = database_.db().select("EXPLAIN QUERY PLAN " + text);
            while (plan.next()) {
                std::int64_t id = 0;
                std::int64_t parent = 0;
                std::int64_t unused = 0;
                std::string detail;
                plan.read(id, parent, unused, detail);
                const bool is_bad = detail.starts_with("SCAN") ||
                                    detail.find("TEMP B-TREE") != std::string::npos;
                if (is_bad && detail != "SCAN CONSTANT ROW") {
                    found.push_back(detail + " in: " + text);
                }
            }
        }
        EXPECT_FALSE(database_.db().failure()) << database_.db().failure_text();
        return found;
    }

    [[nodiscard]] std::vector<std::string> texts(const std::string& sql) {
        return collect(database_.db().select(sql), [](query& row) {
            std::string text;
            row.read(text);
            return text;
        });
    }

    sqlite_database database_;
    std::set<std::string> opening_;
};

// Every statement of the message path, from routing to the end of a delivery set, finds its rows
// by an index.
// Proves: R6, S1
TEST_F(SqliteSchema, MessagePathNeverScans) {
    run(ops::create_routed_room{
        make_room("r"),
        {make_binding("r", "sms")},
        {make_participant("r", "p")},
        channel_id{"sms"},
        "+4711"
    });
    run(ops::find_route{acme(), channel_id{"sms"}, "+4711"});
    run(ops::find_rooms_by_channel{acme(), channel_id{"sms"}});
    run(ops::find_inbound_key{acme(), channel_id{"sms"}, "inbound"});
    run(ops::load_room_context{acme(), room_id{"r"}});
    run(ops::load_room_head{acme(), room_id{"r"}, {"key", "other"}});

    room_event first = make_message("first");
    first.idempotency_key = "key";
    ops::commit batch = database_.batch("r")
                            .add(first)
                            .deliver_to("sms")
                            .add(make_reply("reply", "first"))
                            .take();
    batch.inbound_keys.push_back({channel_id{"sms"}, "inbound", event_id{"first"}, "hash"});
    batch.changes.push_back({event_id{"first"}, content::text("changed")});
    batch.notices.emplace_back();
    const delivery_row row = batch.deliveries.front();
    run(batch);
    ops::commit resuming = database_.batch("r").add(make_message("next")).take();
    resuming.guards.push_back({row.id, row.committed_by});
    resuming.row_ends.push_back({row.id, delivery_state::streaming, 1});
    resuming.new_status = room_status::paused;
    run(resuming);

    run(ops::get_cursor{room_id{"r"}});
    run(ops::claim_cursor{room_id{"r"}, worker_one(), 0, std::nullopt});
    run(ops::load_lane{room_id{"r"}, event_index{0}, 16});
    const ops::row_result outcome{row.id, delivery_state::streaming, 1, {}};
    run(ops::put_results{room_id{"r"}, worker_one(), {outcome}, {}});
    ops::finish_set finish;
    finish.room = room_id{"r"};
    finish.claim_epoch = 1;
    finish.index = event_index{0};
    finish.advance_to = event_index{1};
    finish.results = {outcome};
    finish.deferred = {make_outbound(row)};
    run(finish);
    run(ops::adopt_rows{room_id{"r"}, worker_two(), event_index{9}});
    run(ops::find_orphaned_rooms{});
    run(ops::find_events{room_id{"r"}, {event_id{"first"}}});
    run(ops::list_deliveries{room_id{"r"}, event_id{"first"}});
    run(ops::put_read_marker{acme(), room_id{"r"}, {"", "p", event_index{1}}, false});
    run(ops::raise_lock_epoch{acme(), room_id{"r"}});
    EXPECT_THAT(scans(), IsEmpty());
}

// What every request asks, who it is and whether it was seen before, is found by an index.
// Proves: X1, R8
TEST_F(SqliteSchema, AccessNeverScans) {
    const organization acme_itself{acme(), "Acme"};
    const user ann{
        .id = user_id{"ann"},
        .organization = acme(),
        .email = "ann@example.com",
        .display_name = "Ann",
    };
    run(ops::create_organization{acme_itself, ann, audit_entry{.organization = acme()}});
    run(ops::get_user{acme(), ann.id});
    run(ops::find_user_by_email{ann.email});
    run(ops::list_users{acme()});
    api_token token;
    token.id = api_token_id{"t"};
    token.organization = acme();
    token.hash = secret_hash{"t"};
    run(ops::create_api_token{token, {}});
    run(ops::find_api_token{token.hash});
    run(ops::touch_api_token{token.hash});
    run(ops::list_api_tokens{acme()});
    run(ops::revoke_api_token{acme(), token.id, {}});
    const auth_session session{.hash = secret_hash{"s"}, .organization = acme(), .user = ann.id};
    run(ops::create_auth_session{session, std::chrono::hours{1}, {}});
    run(ops::find_auth_session{session.hash});
    run(ops::renew_auth_session{session.hash, std::chrono::hours{1}});
    const one_time_link link{.hash = secret_hash{"l"}, .organization = acme(), .user = ann.id};
    run(ops::create_link{link, std::chrono::hours{1}, {}});
    run(ops::find_link{link.hash});
    run(ops::consume_link{link.hash, {link_kind::login}, "secret", {}});
    ops::update_user change{.organization = acme(), .id = ann.id};
    change.password_hash = "other";
    run(change);
    run(ops::list_audit{acme(), {}, 10});
    const ops::request_key key{acme(), "POST /rooms", "k"};
    run(ops::begin_request{key, "hash"});
    run(ops::find_request{key, "hash"});
    EXPECT_THAT(scans(), IsEmpty());
}

// What a driver and a runner ask, but for whose turn is next, finds its rows by an index.
// Proves: A4, N5
TEST_F(SqliteSchema, SessionsNeverScan) {
    database_.create("r");
    const room_id room{"r"};
    run(ops::open_session{acme(), room, channel_id{"agent"}, "ann"});
    session_turn turn;
    turn.id = turn_id{"t"};
    turn.room = room;
    turn.organization = acme();
    run(ops::queue_turn{turn});
    ops::begin_run begun;
    begun.run.id = run_id{"run"};
    begun.run.room = room;
    begun.run.organization = acme();
    begun.run.turn = turn.id;
    run(begun);
    const json_text one = json_text::trusted(R"({"k":1})");
    run(ops::append_state{room, 1, {one, one, one}});
    ops::commit append = database_.batch("r").add(make_message("a")).take();
    append.session.push_back({1, {one, one, one}, turn.id});
    run(append);
    run(ops::append_frames{{{room, run_id{"run"}, 1, {{0, "f"}}}}});
    run(ops::list_frames{acme(), run_id{"run"}});
    ops::start_tool_call call;
    call.intent.room = room;
    call.intent.run = run_id{"run"};
    call.intent.call_id = "call";
    call.intent.epoch = 1;
    run(call);
    run(ops::end_tool_call{room, run_id{"run"}, "call", 1});
    run(ops::list_tool_calls{acme(), room});
    run(ops::request_cancel{acme(), run_id{"run"}});
    run(ops::list_runs{acme(), room});
    run(ops::requeue_turn{turn.id, 1, false, std::chrono::milliseconds{0}, ""});
    run(ops::get_session{acme(), room});
    run(ops::next_turn_at{});
    run(ops::quarantine_turn{turn.id, "crashed"});
    run(ops::retry_turn{acme(), turn.id});
    run(ops::list_turns{acme(), {}, {}, 50});
    run(ops::list_turns{acme(), room, {}, 50});
    run(ops::list_turns{acme(), {}, turn_status::quarantined});
    run(ops::get_turn{acme(), turn.id});
    run(ops::prune_frames{});
    run(ops::prune_runs{});
    EXPECT_THAT(scans(), IsEmpty());
}

// Turns are counted where only those that count lie.
// Proves: N4
TEST_F(SqliteSchema, TurnsAreCountedInIndexesOfTheirOwn) {
    run(ops::count_turns{});
    for (const std::string& scan : scans()) {
        EXPECT_THAT(scan, testing::ContainsRegex("^SCAN turns USING COVERING INDEX turns_"));
    }
}

// Approvals are found by an index, whoever looks for them.
// Proves: A6
TEST_F(SqliteSchema, ApprovalsNeverScan) {
    database_.create("r");
    const room_id room{"r"};
    run(ops::open_session{acme(), room, channel_id{"agent"}, "ann"});
    ops::begin_run begun;
    begun.run.id = run_id{"run"};
    begun.run.room = room;
    begun.run.organization = acme();
    run(begun);
    ops::end_run ended;
    ended.room = room;
    ended.run = begun.run.id;
    ended.epoch = 1;
    ended.open_calls.push_back({"call", "request_approval", {}});
    for (const char* const id : {"a", "b"}) {
        ops::end_run::question& asks = ended.questions.emplace_back();
        asks.asked.id = approval_id{id};
        asks.asked.call_id = "call";
        asks.valid_for = std::chrono::hours{1};
    }
    run(ended);
    run(ops::get_approval{acme(), approval_id{"a"}});
    run(ops::list_approvals{acme(), {}, {}, {}, {}});
    run(ops::list_approvals{acme(), room, approval_state::approved, {}, {}});
    run(ops::list_approvals{
        acme(), {}, approval_state::pending, participant_id{"ann"}, approval_id{"b"}
    });
    ops::decide_approvals decided;
    decided.organization = acme();
    decided.room = room;
    decided.decisions.push_back({approval_id{"a"}, approval_state::approved, {}, {}});
    run(decided);
    run(ops::expire_approvals{room, {}});
    ops::update_room closing;
    closing.organization = acme();
    closing.id = room;
    closing.status = room_status::closed;
    run(closing);
    begun.run.id = run_id{"next"};
    run(begun);
    EXPECT_THAT(scans(), IsEmpty());
}

// What the drivers and readers of executions ask finds its rows by an index.
// Proves: W1
TEST_F(SqliteSchema, WorkflowsNeverScan) {
    task_template task;
    task.key = "a";
    task.title = "A";
    ops::put_workflow put;
    put.workflow.id = workflow_id{"w"};
    put.workflow.organization = acme();
    put.workflow.tasks = {task};
    run(put);
    run(ops::list_workflows{acme()});
    run(ops::list_workflows{acme(), workflow_id{"w"}});
    run(ops::publish_workflow{acme(), workflow_id{"w"}, 1, "ann"});
    run(ops::list_workflow_versions{acme(), workflow_id{"w"}});
    ops::create_execution create;
    create.execution.room = room_id{"e"};
    create.execution.organization = acme();
    create.tasks = {task};
    create.session.room = make_room("e");
    run(create);
    ops::begin_run begun;
    begun.run.id = run_id{"run"};
    begun.run.room = room_id{"e"};
    begun.run.organization = acme();
    run(begun);
    run(ops::find_session_work{acme(), room_id{"e"}});
    run(ops::change_task{room_id{"e"}, 1, {"a", execution_task_status::skipped, "", {}, ""}});
    look(ops::put_draft{room_id{"e"}, 1, "x", std::nullopt});
    ops::note_invocation note;
    note.invocation.room = room_id{"e"};
    note.epoch = 1;
    run(note);
    run(ops::list_invocations{acme(), room_id{"e"}, 7});
    run(ops::cancel_execution{acme(), room_id{"e"}});
    ops::list_executions list{acme()};
    run(list);
    list.before = room_id{"e"};
    run(list);
    list.workflow = workflow_id{"w"};
    run(list);
    list.status = execution_status::running;
    run(list);
    list.initiator = "ann";
    run(list);
    run(ops::list_notifications{acme(), "ann", false, 7});
    run(ops::list_notifications{acme(), "ann", true});
    look(ops::mark_notification{acme(), "ann", notification_id{"n"}});
    EXPECT_THAT(scans(), IsEmpty());
}

// Which turn is next steps over its own results; turns it finds by index, however many there are.
// Proves: N5
TEST_F(SqliteSchema, DueTurnsAreFoundByIndex) {
    run(ops::list_due_turns{});
    for (const std::string& scan : scans()) {
        const std::string step = scan.substr(0, scan.find(" in: "));
        EXPECT_THAT(
            step,
            testing::AnyOf(
                "SCAN o",
                "SCAN d",
                "SCAN f",
                "SCAN firsts",
                "SCAN organizations",
                "SCAN t USING INDEX turns_running",  // only what runs is in it
                "USE TEMP B-TREE FOR ORDER BY"
            )
        );
    }
}

// Pages of a timeline, of a thread and of a correlation are read by index, from either end.
// Proves: R14
TEST_F(SqliteSchema, ReadingATimelineNeverScans) {
    database_.create("r");
    ops::list_events all;
    all.organization = acme();
    all.room = room_id{"r"};
    ops::list_events backwards = all;
    backwards.newest_first = true;
    ops::list_events thread = all;
    thread.filter.parent = event_id{"root"};
    thread.filter.types = {event_type::message};
    ops::list_events correlated = all;
    correlated.filter.correlation_id = "call";
    correlated.before = event_index{7};
    for (const ops::list_events& request : {all, backwards, thread, correlated}) {
        run(request);
    }
    run(ops::count_unread{acme(), room_id{"r"}, "", "p", {}});
    run(ops::summarize_threads{acme(), room_id{"r"}, {event_id{"root"}}});
    ops::list_rooms mine;
    mine.organization = acme();
    mine.order = ops::room_order::newest_first;
    run(mine);
    mine.member = participant_id{"p"};
    mine.after = room_id{"s"};
    run(mine);
    EXPECT_THAT(scans(), IsEmpty());

    database_.db().forget_failure();
    query plan = database_.db().select(
        "EXPLAIN QUERY PLAN SELECT count(*), max(\"index\"), created_at FROM events WHERE room_id ="
        " ?1 AND parent_id = ?2 AND parent_id <> '' AND status = 1 AND is_deleted = 0"
    );
    ASSERT_TRUE(plan.next());
    std::int64_t unused = 0;
    std::string detail;
    plan.read(unused, unused, unused, detail);
    EXPECT_THAT(detail, HasSubstr("events_parent"));
}

// A commit changes its room's row in place: none of the columns it writes stands in an index of
// that table.
// Proves: R1, R3
TEST_F(SqliteSchema, NoIndexHoldsWhatACommitChanges) {
    const std::vector<std::string> indexed = texts(
        "SELECT c.name FROM pragma_index_list('rooms') i, pragma_index_info(i.name) c WHERE"
        " i.origin = 'c'"
    );
    EXPECT_THAT(indexed, Not(IsEmpty()));
    for (const std::string& column : indexed) {
        EXPECT_THAT(column, testing::AnyOf("id", "organization_id", "external_id"));
    }
}

// Every table is strict: a value of another type is refused, not bent.
// Proves: S2
TEST_F(SqliteSchema, TablesAreStrict) {
    EXPECT_THAT(
        texts("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
              "strict = 0"
              " AND name NOT LIKE 'sqlite_%'"),
        IsEmpty()
    );
}

// The page about the file names every table that is in it.
// Proves: S2
TEST_F(SqliteSchema, PageNamesEveryTable) {
    const std::string page = documentation_page("formats/sqlite-schema.md");
    for (const std::string& table : texts("SELECT name FROM pragma_table_list WHERE schema = "
                                          "'main' AND type IN ('table', 'virtual')"
                                          " AND name NOT LIKE 'sqlite_%'")) {
        EXPECT_THAT(page, HasSubstr("| `" + table + "` |"));
    }
}

/// The line of the page for a column whose numbers run from 1: `| `column` | 1 `word`, 2 `word``.
template <class Enumeration>
std::string line_of(const std::string& column, int count) {
    std::string line = "| `" + column + "` | ";
    for (int number = 1; number <= count; ++number) {
        line += number > 1 ? ", " : "";
        line += std::to_string(number) + " `" +
                std::string{word_of(static_cast<Enumeration>(number))} + "`";
    }
    return line;
}

// Enumerations are stored as the numbers that the page promises: files keep them for ever.
// Proves: S2
TEST_F(SqliteSchema, PageHasTheNumbers) {
    const std::string page = documentation_page("formats/sqlite-schema.md");
    EXPECT_THAT(page, HasSubstr(line_of<room_status>("rooms.status", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<channel_kind>("bindings.kind", 2)));
    EXPECT_THAT(page, HasSubstr(line_of<access>("bindings.access", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<participant_role>("participants.role", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<participant_status>("participants.status", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<event_type>("events.type", 14)));
    EXPECT_THAT(page, HasSubstr(line_of<event_status>("events.status", 2)));
    EXPECT_THAT(page, HasSubstr(line_of<target_kind>("deliveries.kind", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<delivery_state>("deliveries.state", 6)));
    EXPECT_THAT(page, HasSubstr(line_of<task_status>("tasks.status", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<skill_state>("skills.state", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<user_role>("users.role`, `api_tokens.role", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<link_kind>("one_time_links.kind", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<hook_mode>("hooks.mode", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<hook_failure_policy>("hooks.on_failure", 2)));
    EXPECT_THAT(page, HasSubstr(line_of<receipt_status>("delivery_receipts.status", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<session_status>("sessions.status", 8)));
    EXPECT_THAT(page, HasSubstr(line_of<run_status>("runs.status", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<disconnect_policy>("runs.on_disconnect", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<tool_intent_state>("tool_intents.state", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<turn_kind>("turns.kind", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<turn_status>("turns.status", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<approval_kind>("approvals.kind", 2)));
    EXPECT_THAT(page, HasSubstr(line_of<approval_state>("approvals.state", 6)));
    EXPECT_THAT(page, HasSubstr(line_of<workflow_status>("workflows.status", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<execution_status>("workflow_executions.status", 4)));
    EXPECT_THAT(page, HasSubstr(line_of<execution_task_status>("execution_tasks.status", 5)));
    EXPECT_THAT(page, HasSubstr(line_of<task_error_kind>("execution_tasks.error_kind", 7)));
    EXPECT_THAT(page, HasSubstr(line_of<tool_decision>("tool_invocations.decision", 3)));
    EXPECT_THAT(page, HasSubstr(line_of<notification_kind>("notifications.kind", 4)));
    // These have no words of their own.
    EXPECT_EQ(static_cast<int>(agent_response_policy::addressed_only), 2);
    EXPECT_EQ(static_cast<int>(ops::worker_state::live), 1);
    EXPECT_EQ(static_cast<int>(ops::worker_state::dead), 3);
}

}  // namespace

}  // namespace convene::sqlite
