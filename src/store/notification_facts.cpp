// SPDX-License-Identifier: Apache-2.0
// Notification facts: each kind's sentence, written and read by the same words.
#include "store/notification_facts.hpp"

#include <charconv>
#include <system_error>
#include <utility>

#include "base/uuid.hpp"

namespace convene {

namespace {

/// The namespace of notification ids. Frozen: what was told is not told again.
constexpr std::string_view notification_namespace = "6f3a1f0c-58d2-4b0e-9f4e-6a1d1c0b7e55";

// Frozen, all of them.
constexpr std::string_view draft_ready_words = "The draft is ready: ";
constexpr std::string_view generation_failed_words = "The draft could not be made: ";
constexpr std::string_view approval_request_words = "An agent asks: ";
constexpr std::string_view name_end = ": ";
constexpr std::string_view tasks_word = " tasks";
constexpr std::string_view of_word = " of ";
constexpr std::string_view completed_word = " tasks completed";

std::string_view collection_of(notification_topic topic) noexcept {
    switch (topic) {
        case notification_topic::workflow:
            return "/api/v1/workflows/";
        case notification_topic::execution:
            return "/api/v1/workflow-executions/";
        case notification_topic::approval:
            return "/api/v1/approvals/";
    }
    return {};
}

std::string title_of(const notification_facts& facts) {
    switch (facts.kind) {
        case notification_kind::draft_ready:
            return std::string{draft_ready_words} + facts.name;
        case notification_kind::generation_failed:
            return std::string{generation_failed_words} + facts.name;
        case notification_kind::execution_completed:
            return facts.name + std::string{name_end} +
                   std::string{word_of(facts.outcome.value_or(notification_outcome::completed))};
        case notification_kind::approval_request:
            return std::string{approval_request_words} + facts.name;
    }
    return {};
}

std::string body_of(const notification_facts& facts) {
    const auto tasks = facts.tasks.value_or(notification_facts::task_count{});
    switch (facts.kind) {
        case notification_kind::draft_ready:
            return std::to_string(tasks.total) + std::string{tasks_word};
        case notification_kind::execution_completed:
            return std::to_string(tasks.completed) + std::string{of_word} +
                   std::to_string(tasks.total) + std::string{completed_word};
        case notification_kind::generation_failed:
        case notification_kind::approval_request:
            break;
    }
    return facts.error;
}

std::optional<std::string_view> without_prefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? std::optional{text.substr(prefix.size())} : std::nullopt;
}

std::optional<std::string_view> without_suffix(std::string_view text, std::string_view suffix) {
    return text.ends_with(suffix) ? std::optional{text.substr(0, text.size() - suffix.size())}
                                  : std::nullopt;
}

std::optional<std::int64_t> read_count(std::string_view digits) {
    std::int64_t count = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), end, count);
    return failure == std::errc{} && stop == end ? std::optional{count} : std::nullopt;
}

std::optional<notification_facts::task_count> read_tasks(std::string_view body) {
    if (const auto counts = without_suffix(body, completed_word)) {
        const std::size_t middle = counts->find(of_word);
        if (middle == std::string_view::npos) {
            return std::nullopt;
        }
        const auto completed = read_count(counts->substr(0, middle));
        const auto total = read_count(counts->substr(middle + of_word.size()));
        return completed && total
                   ? std::optional{notification_facts::task_count{*completed, *total}}
                   : std::nullopt;
    }
    const auto digits = without_suffix(body, tasks_word);
    const auto total = digits ? read_count(*digits) : std::nullopt;
    return total ? std::optional{notification_facts::task_count{0, *total}} : std::nullopt;
}

/// A name may end like an outcome; the last one is the sentence's.
void read_end(std::string_view title, notification_facts* facts) {
    for (const auto outcome : {notification_outcome::completed, notification_outcome::failed}) {
        const std::string end = std::string{name_end} + std::string{word_of(outcome)};
        if (const auto name = without_suffix(title, end)) {
            facts->name = *name;
            facts->outcome = outcome;
        }
    }
}

}  // namespace

std::string_view word_of(notification_topic topic) noexcept {
    switch (topic) {
        case notification_topic::workflow:
            return "workflow";
        case notification_topic::execution:
            return "execution";
        case notification_topic::approval:
            return "approval";
    }
    return {};
}

std::string_view word_of(notification_outcome outcome) noexcept {
    switch (outcome) {
        case notification_outcome::completed:
            return "completed";
        case notification_outcome::failed:
            return "failed";
    }
    return {};
}

notification_topic topic_of(notification_kind kind) noexcept {
    switch (kind) {
        case notification_kind::draft_ready:
        case notification_kind::generation_failed:
            return notification_topic::workflow;
        case notification_kind::approval_request:
            return notification_topic::approval;
        case notification_kind::execution_completed:
            break;
    }
    return notification_topic::execution;
}

std::string link_of(const notification_facts& facts) {
    return std::string{collection_of(topic_of(facts.kind))} + facts.id;
}

notification_facts facts_of(const approval& asked) {
    notification_facts facts;
    facts.kind = notification_kind::approval_request;
    facts.id = asked.id.str();
    facts.name = asked.title;
    return facts;
}

notification notice_of(
    const notification_facts& facts, organization_id organization, std::string user, wall_time now
) {
    notification made;
    std::string about = std::string{word_of(facts.kind)} + '\n' + facts.id;
    // Many are told of the same approval, each once.
    if (facts.kind == notification_kind::approval_request) {
        about += '\n' + user;
    }
    made.id = notification_id{uuid5(notification_namespace, about)};
    made.organization = std::move(organization);
    made.user = std::move(user);
    made.kind = facts.kind;
    made.title = title_of(facts);
    made.body = body_of(facts);
    made.link = link_of(facts);
    made.created_at = now;
    return made;
}

notification_facts facts_of(const notification& told) {
    notification_facts facts;
    facts.kind = told.kind;
    facts.id = without_prefix(told.link, collection_of(topic_of(told.kind))).value_or("");
    facts.name = told.title;
    switch (told.kind) {
        case notification_kind::draft_ready:
            facts.name = without_prefix(told.title, draft_ready_words).value_or(told.title);
            facts.outcome = notification_outcome::completed;
            facts.tasks = read_tasks(told.body);
            break;
        case notification_kind::generation_failed:
            facts.name = without_prefix(told.title, generation_failed_words).value_or(told.title);
            facts.outcome = notification_outcome::failed;
            facts.error = told.body;
            break;
        case notification_kind::execution_completed:
            read_end(told.title, &facts);
            facts.tasks = read_tasks(told.body);
            break;
        case notification_kind::approval_request:
            facts.name = without_prefix(told.title, approval_request_words).value_or(told.title);
            break;
    }
    return facts;
}

}  // namespace convene
