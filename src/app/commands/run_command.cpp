// SPDX-License-Identifier: Apache-2.0
// `convene run`: executes a workflow, or follows an execution, to its end.
#include "convene/wait.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/printable.hpp"
#include "app/remote/asking.hpp"
#include "app/remote/execution_feed.hpp"
#include "app/remote/server_workflows.hpp"
#include "app/run_questions.hpp"
#include "app/task_view.hpp"
#include "app/typed_lines.hpp"
#include "base/canonical_json.hpp"
#include "base/uuid.hpp"

namespace convene {

namespace {

/// Between two looks at an execution whose next run has not begun.
constexpr milliseconds between_looks{200};

/// Shows events as they come: what is said, and a line for each call of a tool.
class run_printer {
   public:
    run_printer(output_form form, output_stream& out) : form_(form), out_(out) {}

    void print(const std::string& event) {
        if (form_ == output_form::json) {
            out_.write_line(event);
        } else {
            print_for_people(event);
        }
        out_.flush();
    }

   private:
    void print_for_people(const std::string& event) {
        const std::string type = find_text(event, "type").value_or("");
        if (type == "TEXT_MESSAGE_CONTENT") {
            out_.write(printable(find_text(event, "delta").value_or(""), ""));
            is_in_text_ = true;
            return;
        }
        if (std::exchange(is_in_text_, false)) {
            out_.write_line("");
        }
        if (type == "TOOL_CALL_START") {
            print_dim("> ", find_text(event, "toolCallName").value_or(""));
        } else if (type == "TOOL_CALL_RESULT") {
            print_dim("< ", find_text(event, "content").value_or(""));
        } else if (type == "RUN_ERROR") {
            out_.write_line(out_.styled(
                text_style::bad, printable_name(find_text(event, "message").value_or(""))
            ));
        }
    }

    void print_dim(std::string_view mark, const std::string& text) {
        out_.write_line(out_.styled(text_style::dim, std::string{mark} + printable_name(text)));
    }

    const output_form form_;
    output_stream& out_;
    bool is_in_text_ = false;
};

/// The execution that is meant: the one of this id, or a new one of the workflow of this id.
awaitable<outcome<execution_report>> begin(server_conversations* asked, run_options how) {
    auto known = co_await find_execution(asked, how.target);
    if (!known) {
        co_return known.error();
    }
    if (*known) {
        co_return **std::move(known);
    }
    std::string key = make_uuid7(system_wall_clock().now(), asked->client().random());
    auto started = co_await start_execution(asked, how.target, how.is_draft, std::move(key));
    co_return started;
}

bool may_go_on(const std::string& session) {
    return session == "queued" || session == "running" || session == "scheduled";
}

bool waits_for_people(const std::string& session) {
    return session == "waiting_for_approval" || session == "waiting_for_input";
}

/// Says how it ended.
awaitable<outcome<exit_code>> conclude(
    server_conversations* asked, execution_report ended, output_form form, output_stream* out
) {
    const auto tasks = co_await list_tasks(asked, ended.id);
    if (!tasks) {
        co_return tasks.error();
    }
    print_tasks(*tasks, form, *out);
    if (form == output_form::json) {
        out->write_line(ended.document);
    } else {
        out->write_line(out->styled(style_of_status(ended.status), ended.status));
    }
    co_return ended.status == "completed" ? exit_code::ok : exit_code::partial;
}

awaitable<outcome<exit_code>> follow(
    server_conversations* asked, const run_options* how, output_stream* out
) {
    auto begun = co_await begin(asked, *how);
    if (!begun) {
        co_return begun.error();
    }
    const std::string id = begun->id;
    if (how->form == output_form::text) {
        out->write_line(out->styled(text_style::dim, "execution " + printable_name(id)));
        out->flush();
    }
    execution_feed feed{asked->client(), id};
    run_printer printer{how->form, *out};
    typed_lines typed{0};
    run_questions questions{asked, id, how->form, out, &typed};
    for (;;) {
        const auto event = co_await feed.next();
        if (!event) {
            co_return event.error();
        }
        if (*event) {
            questions.close_prompt();
            printer.print(**event);
            continue;
        }
        auto now = co_await find_execution(asked, id);
        if (!now) {
            co_return now.error();
        }
        if (!*now) {
            co_return failure{exit_code::refused, "the execution was removed", ""};
        }
        if ((*now)->status != "running") {
            auto ended = co_await conclude(asked, **std::move(now), how->form, out);
            co_return ended;
        }
        const auto session = co_await session_status_of(asked, id);
        if (!session) {
            co_return session.error();
        }
        if (waits_for_people(*session)) {
            const auto looked = co_await questions.look();
            if (!looked) {
                co_return looked.error();
            }
        } else if (!may_go_on(*session)) {
            co_return failure{
                exit_code::partial,
                "the agent has stopped, and tasks are open; its session is " + *session,
                "talk to it in the room, or end it with convene executions cancel"
            };
        }
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return transport_failure(slept.error(), asked->client().server());
        }
    }
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const run_options& options) {
    output_stream* const out = &with.terminal->out;
    failure without = execution_needs_a_server();
    return run_asking_server(
        with,
        std::move(without),
        [&options, out](server_conversations* asked) { return follow(asked, &options, out); }
    );
}

}  // namespace convene
