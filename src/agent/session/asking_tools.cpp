// SPDX-License-Identifier: Apache-2.0
// Asking tools: their schemas, and what is made of their arguments.
#include "agent/session/asking_tools.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "agent/json_schema.hpp"
#include "agent/session/approval_bounds.hpp"
#include "base/canonical_json.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

constexpr std::chrono::seconds usual_time{std::chrono::hours{24}};
constexpr integer_range any_time{1, 30LL * 24 * 3'600};

const tool_definition& request_approval() {
    static const tool_definition made{
        std::string{request_approval_word},
        "Asks people for leave to do something. You get their decision as the result: approved, "
        "rejected, or "
        "returned with what is to be changed. Name the calls that you want to make: only those are "
        "allowed.",
        json_text::trusted(
            R"({"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":500},"description":{"type":"string","maxLength":10000},"tools":{"type":"array","maxItems":20,"items":{"type":"object","properties":{"tool":{"type":"string","minLength":1,"maxLength":64},"arguments":{"type":"object","description":"Exactly these"},"schema":{"type":"object","description":"Arguments that fit this JSON schema"},"uses":{"type":"integer","minimum":1,"maximum":1000,"description":"So many calls; left out: 1"}},"required":["tool"],"additionalProperties":false}},"expires_in_seconds":{"type":"integer","minimum":1,"maximum":2592000}},"required":["title"],"additionalProperties":false})"
        )
    };
    return made;
}

const tool_definition& ask_user() {
    static const tool_definition made{
        std::string{ask_user_word},
        "Asks the people in this conversation something that you need to go on. You get the answer "
        "as the result.",
        json_text::trusted(
            R"({"type":"object","properties":{"question":{"type":"string","minLength":1,"maxLength":2000},"schema":{"type":"object","description":"A JSON schema of the answer; left out: a text"},"expires_in_seconds":{"type":"integer","minimum":1,"maximum":2592000}},"required":["question"],"additionalProperties":false})"
        )
    };
    return made;
}

/// In a toolbox for its schema: the loop leaves its calls to people.
class asking_tool final : public tool {
   public:
    explicit asking_tool(const tool_definition& definition) : definition_(definition) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return definition_;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text, tool_context) override {
        co_return errc::unavailable;
    }

   private:
    const tool_definition& definition_;
};

std::optional<json_text> member_of(std::string_view object, std::string_view name) {
    const auto found = find_member(object, name);
    return found ? std::optional{json_text::trusted(std::string{*found})} : std::nullopt;
}

std::int64_t integer_in(std::string_view object, std::string_view name, std::int64_t otherwise) {
    const auto document = json_document::parse(
        object, "arguments", boundary_limits::of_stored_json()
    );
    const auto* const members = document ? document->root().if_object() : nullptr;
    if (members == nullptr) {
        return otherwise;
    }
    const object_reader fields{*members, "arguments"};
    const auto found = fields.optional_integer(name, any_time);
    return found ? found->value_or(otherwise) : otherwise;
}

approval_grant grant_of(std::string_view wanted) {
    approval_grant grant;
    grant.tool = find_text(wanted, "tool").value_or("");
    json_writer bounds;
    bounds.begin_object();
    for (const std::string_view name : {"arguments", "schema"}) {
        if (const auto bound = member_of(wanted, name)) {
            bounds.key(name).json(*bound);
        }
    }
    bounds.end_object();
    grant.bounds = bounds.take();
    grant.uses = integer_in(wanted, "uses", 1);
    return grant;
}

std::vector<approval_grant> grants_of(const json_text& arguments) {
    std::vector<approval_grant> grants;
    if (const auto tools = find_member(arguments.str(), "tools")) {
        for (const std::string_view wanted : elements_of(*tools)) {
            grants.push_back(grant_of(wanted));
        }
    }
    return grants;
}

json_text schema_of_decision() {
    return json_text::trusted(
        R"({"type":"object","properties":{"status":{"type":"string","enum":["approved","rejected","returned"]},"response":{}},"required":["status"],"additionalProperties":false})"
    );
}

}  // namespace

asking_tools::asking_tools(
    std::set<std::string, std::less<>> of_agent, const std::vector<tool_definition>& of_client
)
    : of_agent_(std::move(of_agent)) {
    for (const tool_definition& one : of_client) {
        if (one.name != request_approval_word && !of_agent_.contains(one.name)) {
            definitions_.push_back(one);
        }
    }
    for (const tool_definition* const one : {&request_approval(), &ask_user()}) {
        const bool is_taken = of_agent_.contains(one->name) ||
                              std::ranges::find(definitions_, one->name, &tool_definition::name) !=
                                  definitions_.end();
        if (!is_taken && own_.add(std::make_shared<asking_tool>(*one))) {
            definitions_.push_back(*one);
        }
    }
}

bool asking_tools::has(std::string_view name) const noexcept { return own_.find(name) != nullptr; }

std::optional<std::string> asking_tools::find_fault(const tool_call& call) const {
    if (!has(call.name)) {
        return std::nullopt;
    }
    if (const auto misfit = own_.find_misfit(call.name, call.arguments)) {
        return "The arguments do not fit the tool's schema: " + *misfit;
    }
    if (const auto schema = member_of(call.arguments.str(), "schema")) {
        if (const auto compiled = json_schema::compile(*schema, "schema"); !compiled) {
            return "The schema is not supported: " + compiled.error().field;
        }
    }
    for (const approval_grant& grant : grants_of(call.arguments)) {
        if (!of_agent_.contains(grant.tool)) {
            return "There is no tool of the name " + grant.tool + ".";
        }
        if (auto fault = fault_of_bounds(grant.bounds)) {
            return fault;
        }
    }
    return std::nullopt;
}

ops::end_run::question question_of(const tool_call& call, std::vector<std::string> deciders) {
    const std::string& arguments = call.arguments.str();
    ops::end_run::question asks;
    if (call.name == ask_user_word) {
        asks.asked.kind = approval_kind::input;
        asks.asked.title = find_text(arguments, "question").value_or("");
        asks.asked.response_schema = member_of(arguments, "schema");
    } else {
        asks.asked.title = find_text(arguments, "title").value_or("");
        asks.asked.description = find_text(arguments, "description").value_or("");
        asks.asked.grants = grants_of(call.arguments);
        asks.asked.deciders = std::move(deciders);
    }
    asks.valid_for = std::chrono::seconds{
        integer_in(arguments, "expires_in_seconds", usual_time.count())
    };
    return asks;
}

run_events::interrupt interrupt_of(const approval& asked, wall_time expires_at) {
    run_events::interrupt told;
    told.id = asked.id.str();
    told.reason = word_of(asked.kind);
    told.message = asked.title;
    told.call = asked.call_id;
    if (asked.kind == approval_kind::approval) {
        told.response_schema = schema_of_decision();
    } else {
        told.response_schema = asked.response_schema;
    }
    told.expires_at = format_rfc3339(expires_at);
    json_writer out;
    out.begin_object();
    out.key("description").string(asked.description);
    out.key("tools").begin_array();
    for (const approval_grant& grant : asked.grants) {
        out.begin_object().key("tool").string(grant.tool);
        out.key("bounds").json(grant.bounds);
        out.key("uses").integer(grant.uses).end_object();
    }
    out.end_array();
    out.end_object();
    told.metadata = out.take();
    return told;
}

}  // namespace convene
