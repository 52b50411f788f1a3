// SPDX-License-Identifier: Apache-2.0
// A room with an agent that answers through a scripted model.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/model_agent.hpp"
#include "support/kit_scene.hpp"
#include "support/scripted_chat_model.hpp"
#include "support/scripted_tool.hpp"

namespace convene {

/// Settings under which segments come soon, and any tool of the room can be called.
inline model_agent_settings agent_called(std::string id) {
    model_agent_settings made;
    made.id = channel_id{std::move(id)};
    made.instructions = "Be brief.";
    made.writing.segments = {10, 40, 400, std::chrono::seconds{2}};
    made.room_tools = {room_tool::read_messages, room_tool::add_task, room_tool::observe};
    return made;
}

/// Adds the agent to the scene's room. *Requires*: before `open` or `reopen`.
inline std::shared_ptr<scripted_chat_model> add_agent(
    kit_scene& scene,
    model_agent_settings settings,
    std::vector<model_script> scripts,
    const std::vector<std::shared_ptr<tool>>& tools = {}
) {
    auto model = std::make_shared<scripted_chat_model>(std::move(scripts));
    model_agent::parts parts;
    parts.kit = scene.kit.get();
    parts.model = model;
    for (const std::shared_ptr<tool>& one : tools) {
        EXPECT_TRUE(parts.tools.add(one));
    }
    scene.add(std::make_shared<model_agent>(std::move(settings), std::move(parts)));
    return model;
}

/// `index type status text` of each event.
inline std::vector<std::string> told(const std::vector<room_event>& events) {
    std::vector<std::string> lines;
    for (const room_event& event : events) {
        std::string line{word_of(event.type)};
        line += event.status == event_status::blocked ? " (blocked) " : " ";
        lines.push_back(line + readable_text(event.content));
    }
    return lines;
}

}  // namespace convene
