// SPDX-License-Identifier: Apache-2.0
// The window: units of messages that stay together, then as many of the newest as fit.
#include "agent/chat_window.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/tool_outcome.hpp"
#include "base/canonical_json.hpp"

namespace convene {

namespace {

/// What goes along with every message: its role and its frame.
constexpr std::int64_t tokens_of_frame = 4;

/// Messages that are shown together or not at all.
struct unit {
    std::vector<chat_message> messages;
    event_index first;     ///< of its events
    bool is_kept = false;  ///< whatever the limits say
    bool may_call =
        false;  ///< the agent's words: calls right behind them were made in the same answer
};

std::int64_t tokens_of(const unit& counted) noexcept {
    std::int64_t total = 0;
    for (const chat_message& message : counted.messages) {
        total += tokens_of_frame + approx_tokens(message.name) + approx_tokens(message.text);
        for (const tool_call& call : message.calls) {
            total += tokens_of_frame + approx_tokens(call.name) +
                     approx_tokens(call.arguments.str());
        }
    }
    return total;
}

bool is_call_record(const room_event& event) noexcept {
    return event.content.type() == content_type::tool_call;
}

/// Nothing that goes on behind the scenes: notices, edits, reactions, who came and went.
bool is_said(const room_event& event) noexcept {
    return event.type == event_type::message && is_message(event.content.type()) &&
           !event.is_deleted;
}

class window_builder {
   public:
    explicit window_builder(const chat_window_source& source) : source_(source) {}

    std::vector<unit> build() {
        const bool has_several = count_speakers() > 1;
        for (const room_event& event : source_.history) {
            if (!source_.trigger || event.index < source_.trigger->index) {
                add(event, has_several);
            }
        }
        close_calls();
        if (source_.trigger) {
            add_others(*source_.trigger, has_several);
        }
        if (!units_.empty()) {
            units_.back().is_kept = true;
        }
        for (const room_event& event : source_.made_calls) {
            add_record(event, true);
        }
        close_calls();
        return std::move(units_);
    }

   private:
    /// Calls whose results may still come.
    struct open_calls {
        std::size_t unit = 0;
        std::vector<std::string> given_ids;  ///< as the records have them
        std::vector<std::optional<chat_message>> results;
        bool has_results = false;
    };

    [[nodiscard]] bool is_own(const room_event& event) const noexcept {
        return event.source.channel == source_.agent;
    }

    /// Whoever said something is one speaker, whichever way it came in.
    static std::string speaker_of(const room_event& event) {
        const event_source& from = event.source;
        return !from.participant.empty() ? from.participant.str() : from.channel.str();
    }

    [[nodiscard]] std::size_t count_speakers() const {
        std::set<std::string> speakers;
        if (source_.trigger) {
            speakers.insert(speaker_of(*source_.trigger));
        }
        for (const room_event& event : source_.history) {
            if (!is_own(event) && is_said(event)) {
                speakers.insert(speaker_of(event));
            }
        }
        return speakers.size();
    }

    [[nodiscard]] std::string name_of(const room_event& event) const {
        std::string speaker = speaker_of(event);
        const auto known = std::ranges::find(
            source_.participants, event.source.participant, &participant::id
        );
        const bool has_name = known != source_.participants.end() && !known->display_name.empty();
        return has_name ? known->display_name : speaker;
    }

    void add(const room_event& event, bool has_several) {
        if (is_own(event) && is_call_record(event)) {
            add_record(event, false);
        } else if (!is_said(event)) {
            return;
        } else if (is_own(event)) {
            close_calls();
            chat_message said{chat_role::assistant, readable_text(event.content)};
            // An answer that was cut off came to no calls.
            const bool is_whole = !find_member(event.metadata.str(), "finish_reason");
            units_.push_back({{std::move(said)}, event.index, false, is_whole});
        } else {
            add_others(event, has_several);
        }
    }

    void add_others(const room_event& event, bool has_several) {
        chat_message said{chat_role::user, readable_text(event.content)};
        if (has_several) {
            said.name = name_of(event);
        }
        units_.push_back({{std::move(said)}, event.index});
    }

    /// A record is of a call that begins, of one that ended, or of both.
    void add_record(const room_event& event, bool is_kept) {
        const std::string id = event.content.text_field("tool_id").value_or(std::string{});
        const bool is_pending = event.content.tool_status() == tool_call_status::pending;
        if (is_pending || !is_open(id)) {
            begin_call(event, id, is_kept);
        }
        if (!is_pending) {
            end_call(event.content, id);
        }
    }

    [[nodiscard]] bool is_open(const std::string& id) const {
        return open_ && std::ranges::find(open_->given_ids, id) != open_->given_ids.end();
    }

    void begin_call(const room_event& event, const std::string& id, bool is_kept) {
        // Calls that begin after a result were made in the next round, knowing it.
        if (open_ && open_->has_results) {
            close_calls();
        }
        if (!open_) {
            const bool is_same_answer = !is_kept && !units_.empty() && units_.back().may_call;
            if (!is_same_answer) {
                units_.push_back({{chat_message{chat_role::assistant, {}}}, event.index, is_kept});
            }
            units_.back().may_call = false;
            open_ = open_calls{units_.size() - 1, {}, {}, false};
        }
        tool_call made;
        made.id = make_unique(id);
        made.name = event.content.text_field("tool_name").value_or(std::string{});
        made.arguments = json_field(event.content, "arguments").value_or(json_text{});
        units_[open_->unit].messages.front().calls.push_back(std::move(made));
        open_->given_ids.push_back(id);
        open_->results.emplace_back();
    }

    void end_call(const content& record, const std::string& id) {
        const auto place = std::ranges::find(open_->given_ids, id);
        const auto at = static_cast<std::size_t>(place - open_->given_ids.begin());
        chat_message ended{chat_role::tool, {}};
        const std::optional<std::string> error = record.text_field("error");
        ended.is_error = error.has_value();
        ended.text = error ? *error : result_of(record);
        open_->results[at] = std::move(ended);
        open_->has_results = true;
    }

    void close_calls() {
        if (!open_) {
            return;
        }
        unit& calling = units_[open_->unit];
        for (std::size_t i = 0; i < open_->results.size(); ++i) {
            chat_message ended = open_->results[i].value_or(unknown_result());
            ended.call_id = calling.messages.front().calls[i].id;
            calling.messages.push_back(std::move(ended));
        }
        open_.reset();
    }

    static chat_message unknown_result() {
        chat_message unknown{chat_role::tool, std::string{outcome_unknown_text}};
        unknown.is_error = true;
        return unknown;
    }

    static std::optional<json_text> json_field(const content& record, std::string_view name) {
        const auto found = find_member(record.json().str(), name);
        if (!found) {
            return std::nullopt;
        }
        return json_text::trusted(std::string{*found});
    }

    /// A text as it was said, anything else as JSON.
    static std::string result_of(const content& record) {
        if (const auto text = record.text_field("result")) {
            return *text;
        }
        const auto value = json_field(record, "result");
        return value ? value->str() : std::string{};
    }

    /// Models count from 1 in every answer; a provider wants each id once in a conversation.
    std::string make_unique(const std::string& id) {
        std::string unique = id.empty() ? "call" : id;
        for (int n = 2; !ids_.insert(unique).second; ++n) {
            unique = id + "-" + std::to_string(n);
        }
        return unique;
    }

    const chat_window_source& source_;
    std::vector<unit> units_;
    std::optional<open_calls> open_;
    std::set<std::string> ids_;
};

void cap_results(std::vector<unit>& units, std::size_t most_bytes) {
    for (unit& one : units) {
        for (chat_message& message : one.messages) {
            if (message.role == chat_role::tool && !one.is_kept) {
                message.text = cap_tool_text(std::move(message.text), most_bytes);
            }
        }
    }
}

/// The first unit that is shown.
std::size_t find_start(const std::vector<unit>& units, std::int64_t most_tokens) {
    std::int64_t left = most_tokens;
    for (const unit& one : units) {
        left -= one.is_kept ? tokens_of(one) : 0;
    }
    std::size_t start = units.size();
    while (start > 0) {
        const unit& next = units[start - 1];
        left -= next.is_kept ? 0 : tokens_of(next);
        if (left < 0 && !next.is_kept) {
            break;
        }
        --start;
    }
    return start;
}

}  // namespace

std::int64_t approx_tokens(std::string_view text) noexcept {
    std::int64_t plain = 0;
    std::int64_t others = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        plain += byte < 0x80 ? 1 : 0;
        others += byte >= 0xC0 ? 1 : 0;
    }
    return (plain + 3) / 4 + others;
}

chat_window make_chat_window(const chat_window_source& source, const chat_window_limits& limits) {
    std::vector<unit> units = window_builder{source}.build();
    cap_results(units, limits.tool_result_bytes);
    const std::size_t start = find_start(units, limits.tokens);
    chat_window shown;
    if (start < units.size()) {
        shown.first = units[start].first;
    }
    for (std::size_t i = start; i < units.size(); ++i) {
        std::ranges::move(units[i].messages, std::back_inserter(shown.messages));
    }
    return shown;
}

}  // namespace convene
