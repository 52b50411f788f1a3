// SPDX-License-Identifier: Apache-2.0
// Told run: the stored frames decoded, and closed.
#include "agent/session/told_run.hpp"

#include <utility>

#include "agent/agui/agui_decoder.hpp"
#include "agent/tool_outcome.hpp"
#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

awaitable<result<told_run>> load_told_run(conversation_store* store, agent_run_record run) {
    told_run told;
    std::int64_t after = -1;
    while (after + 1 < run.next_frame) {
        ops::list_frames request{run.organization, run.id, after};
        const auto page = co_await store->run(std::move(request));
        if (!page) {
            co_return page.error();
        }
        if (page->frames.empty()) {
            break;
        }
        for (const run_frame& frame : page->frames) {
            const auto event = decode_agui(frame.data);
            if (!event) {
                co_return event.error();
            }
            if (*event) {
                told.encoder.take_stored(**event);
                told.transcript.take(**event);
            }
        }
        after = page->frames.back().number;
    }
    co_return told;
}

std::vector<run_frame> closing_frames(told_run told, const agent_run_record& run) {
    std::vector<run_frame> frames;
    const auto add = [&frames, &run](std::vector<std::string> encoded) {
        for (std::string& data : encoded) {
            const auto number = run.next_frame + static_cast<std::int64_t>(frames.size());
            frames.push_back({number, std::move(data)});
        }
    };
    if (!told.encoder.has_started()) {
        add(told.encoder.encode(run_events::started{run.room.str(), run.id.str()}));
    }
    for (const std::string& call : told.encoder.calls_without_result()) {
        // No event has this id: the result was never stored.
        add(told.encoder.encode(
            run_events::call_result{call, call + ":result", std::string{outcome_unknown_text}}
        ));
    }
    add(told.encoder.encode(
        run_events::failed{"The run was interrupted, and is not gone on with.", "RUN_INTERRUPTED"}
    ));
    return frames;
}

}  // namespace convene
