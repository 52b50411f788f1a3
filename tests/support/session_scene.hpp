// SPDX-License-Identifier: Apache-2.0
// A worker that drives sessions, on a memory store and a clock that the test moves.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/session/run_feed.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/session_service.hpp"
#include "base/canonical_json.hpp"
#include "support/kit_scene.hpp"
#include "support/scripted_chat_model.hpp"

namespace convene {

/// The room `r` of a kit scene as a session of the agent `helper`.
class session_scene {
   public:
    explicit session_scene(
        std::vector<model_script> answers,
        std::shared_ptr<shared_world> world = std::make_shared<shared_world>(),
        session_settings with = {},
        toolbox tools = {},
        std::int32_t format = 1
    )
        : model(std::make_shared<scripted_chat_model>(std::move(answers))),
          scene(std::move(world), {}, format),
          feeds(scene.loop, scene.store),
          streams(scene.loop, scene.store, feeds, nullptr),
          service(parts_of(std::move(tools)), with) {
        scene.add(std::make_shared<scripted_agent>(
            channel_id{"helper"}, std::vector<agent_script>{agent_script{}.say("not asked")}
        ));
    }

    ~session_scene() {
        if (scene.kit != nullptr) {
            stop();
        }
    }

    session_scene(const session_scene&) = delete;
    session_scene& operator=(const session_scene&) = delete;

    /// The first worker of a world.
    void open() {
        scene.open();
        const auto opened = scene.loop.run(
            service.open({}, room_id{"r"}, channel_id{"helper"}, "ann")
        );
        EXPECT_TRUE(opened) << opened.error().message();
    }

    /// Another worker, after the death of the one before.
    void reopen() { scene.reopen(); }

    void stop() {
        scene.loop.run(service.stop());
        scene.loop.run(streams.stop());
    }

    /// As if the process were killed: nothing of it runs any more.
    void crash() { scene.crash(); }

    [[nodiscard]] static turn_order says(std::string text, std::string id = "1") {
        turn_order order;
        order.said.thread = "r";
        order.said.run = "client-run";
        order.said.messages.push_back({std::move(id), std::move(text)});
        order.channel = channel_id{"web"};
        order.participant = participant_id{"ann"};
        return order;
    }

    result<agent_run_record> start(turn_order order, run_starter starter = run_starter::leaves) {
        return scene.loop.run(service.start({}, room_id{"r"}, std::move(order), "ann", starter));
    }

    /// This worker has begun the run `left`, and shown as the message `shown` what came of a call. `intent` is how the
    /// call ended; unset: it was refused.
    void show_call(std::optional<tool_intent_state> intent) {
        session_turn turn;
        turn.id = turn_id{"turn"};
        turn.room = room_id{"r"};
        turn.input = write_turn_order(says("Go on."));
        (void)scene.ask(ops::queue_turn{turn});
        ops::begin_run begin;
        begin.run.id = run_id{"left"};
        begin.run.room = turn.room;
        begin.run.worker = scene.kit->incarnation();
        begin.run.turn = turn.id;
        const std::int64_t epoch = scene.ask(begin).run.epoch;
        if (intent) {
            ops::start_tool_call start;
            start.intent.room = turn.room;
            start.intent.run = begin.run.id;
            start.intent.call_id = "c1";
            start.intent.epoch = epoch;
            (void)scene.ask(start);
            (void)scene.ask(ops::end_tool_call{turn.room, begin.run.id, "c1", epoch, *intent});
        }
        ops::append_frames::of_run told{turn.room, begin.run.id, epoch, {}};
        agui_encoder encoder;
        for (const run_event& event : std::vector<run_event>{
                 run_events::started{"r", "client-run"},
                 run_events::call_start{"c1", "look", ""},
                 run_events::call_arguments{"c1", "{}"},
                 run_events::call_end{"c1"},
                 run_events::call_result{"c1", "shown", "what came of it"},
             }) {
            for (std::string& data : encoder.encode(event)) {
                const auto number = static_cast<std::int64_t>(told.frames.size());
                told.frames.push_back({number, std::move(data)});
            }
        }
        EXPECT_TRUE(scene.ask(ops::append_frames{{std::move(told)}}).empty());
    }

    /// Starts it and waits for its end.
    agent_run_record run(turn_order order) {
        const auto started = start(std::move(order));
        EXPECT_TRUE(started) << started.error().message();
        return started ? finish(started->id) : agent_run_record{};
    }

    agent_run_record finish(const run_id& run) {
        for (int turn = 0; turn < 1'000; ++turn) {
            agent_run_record record = look(run);
            if (record.is_stream_over) {
                return record;
            }
            scene.loop.advance(milliseconds{20});
        }
        ADD_FAILURE() << "the run does not end";
        return look(run);
    }

    agent_run_record look(const run_id& run) { return scene.ask(ops::get_run{{}, run}); }

    /// What is asked and not decided.
    std::vector<approval> open_approvals() {
        ops::list_approvals look;
        look.room = room_id{"r"};
        look.state = approval_state::pending;
        return scene.ask(look);
    }

    /// Somebody decides what is open.
    result<ops::decide_approvals::answer> decide(
        const approval_id& id,
        approval_state to = approval_state::approved,
        json_text response = {},
        std::string by = "user:bob"
    ) {
        session_service::answers given{{{id, to, std::move(response), {}}}, std::move(by)};
        return scene.loop.run(service.decide({}, room_id{"r"}, std::move(given)));
    }

    agent_session session() { return scene.ask(ops::get_session{{}, room_id{"r"}}).session; }

    [[nodiscard]] std::vector<std::string> frames(const run_id& run) {
        ops::list_frames all;
        all.run = run;
        all.limit = 10'000;
        std::vector<std::string> data;
        for (run_frame& frame : scene.ask(all).frames) {
            data.push_back(std::move(frame.data));
        }
        return data;
    }

    /// Types only, for what a stream looks like.
    [[nodiscard]] std::vector<std::string> frame_types(const run_id& run) {
        std::vector<std::string> types;
        for (const std::string& frame : frames(run)) {
            types.push_back(find_text(frame, "type").value_or(""));
        }
        return types;
    }

    /// By which ids tool calls are told.
    [[nodiscard]] std::set<std::string> told_call_ids(const run_id& run) {
        std::set<std::string> ids;
        for (const std::string& frame : frames(run)) {
            if (auto id = find_text(frame, "toolCallId")) {
                ids.insert(*std::move(id));
            }
        }
        return ids;
    }

    /// What a reader puts together, by the id of the message.
    [[nodiscard]] std::map<std::string, std::string> told_texts(const run_id& run) {
        std::map<std::string, std::string> texts;
        for (const std::string& frame : frames(run)) {
            if (find_text(frame, "type") == "TEXT_MESSAGE_CONTENT") {
                texts[find_text(frame, "messageId").value_or("")] += find_text(frame, "delta")
                                                                         .value_or("");
            }
        }
        return texts;
    }

    /// What the agent has said, by the id of the event.
    [[nodiscard]] std::map<std::string, std::string> stored_texts() {
        std::map<std::string, std::string> texts;
        for (const room_event& event : scene.timeline()) {
            if (event.source.channel == channel_id{"helper"} &&
                event.content.type() == content_type::text) {
                texts[event.id.str()] = readable_text(event.content);
            }
        }
        return texts;
    }

    std::shared_ptr<scripted_chat_model> model;
    std::vector<room_tool> room_tools;  ///< of the agent, from its next run on
    kit_scene scene;
    run_feeds feeds;
    run_log streams;
    std::set<std::string, std::less<>> needs_approval;  ///< tools of the agent
    /// Unset: agents are as they are.
    std::function<awaitable<result<>>(agent_session, session_agent*)> equip;
    int turns_announced = 0;
    int cancels_announced = 0;
    session_service service;

   private:
    static awaitable<result<>> leave(session_agent* /*agent*/) { co_return result<>{}; }

    session_parts parts_of(toolbox tools) {
        session_parts parts;
        parts.where = &scene.loop;
        parts.kit = scene.kit.get();
        parts.locks = scene.locks.get();
        parts.streams = &streams;
        parts.clock = &scene.world->clock;
        parts.random = &system_random();
        parts.agents = [this, tools](const channel_id& id) -> result<session_agent> {
            if (id != channel_id{"helper"}) {
                return errc::channel_not_registered;
            }
            session_agent agent;
            agent.id = id;
            agent.model = model;
            agent.tools = tools;
            agent.room_tools = room_tools;
            agent.needs_approval = needs_approval;
            agent.approvers = {"bob"};
            return agent;
        };
        parts.equip = [this](agent_session session, session_agent* agent) {
            return equip ? equip(std::move(session), agent) : leave(agent);
        };
        parts.announce_turn = [this] { ++turns_announced; };
        parts.announce_cancel = [this](const agent_run_record&) { ++cancels_announced; };
        return parts;
    }
};

}  // namespace convene
