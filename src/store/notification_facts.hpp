// SPDX-License-Identifier: Apache-2.0
// What a notification tells, apart from its sentence: of what, and how that ended. Stored is the sentence alone, whose form
// is frozen (docs/formats/sqlite-schema.md); this is where it is written and read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/approval_values.hpp"
#include "store/workflow_values.hpp"

namespace convene {

/// What a notification is about. Words and numbers are frozen.
enum class notification_topic : std::uint8_t { workflow = 1, execution = 2, approval = 3 };

[[nodiscard]] std::string_view word_of(notification_topic topic) noexcept;

/// How what it is about ended. Words and numbers are frozen.
enum class notification_outcome : std::uint8_t { completed = 1, failed = 2 };

[[nodiscard]] std::string_view word_of(notification_outcome outcome) noexcept;

struct notification_facts {
    struct task_count {
        std::int64_t completed = 0;
        std::int64_t total = 0;

        friend bool operator==(const task_count&, const task_count&) = default;
    };

    notification_kind kind = notification_kind::draft_ready;
    std::string id;    ///< of the workflow, the execution or the approval
    std::string name;  ///< its name, as it was then
    std::optional<notification_outcome> outcome{};  ///< unset: it has not ended
    std::optional<task_count> tasks{};              ///< of a draft, and of an execution
    std::string error{};                            ///< why a generation failed, a stable word

    friend bool operator==(const notification_facts&, const notification_facts&) = default;
};

[[nodiscard]] notification_topic topic_of(notification_kind kind) noexcept;

/// The path of what it is about.
[[nodiscard]] std::string link_of(const notification_facts& facts);

/// That it is asked.
[[nodiscard]] notification_facts facts_of(const approval& asked);

/// Its id is a function of what it is about, so that it is told once.
[[nodiscard]] notification notice_of(
    const notification_facts& facts, organization_id organization, std::string user, wall_time now
);

/// What `notice_of` wrote. Of a sentence in a form that this version does not know the name is the whole of it.
[[nodiscard]] notification_facts facts_of(const notification& told);

}  // namespace convene
