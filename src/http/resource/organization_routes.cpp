// SPDX-License-Identifier: Apache-2.0
// An organisation and its audit trail over HTTP.
#include <utility>

#include "http/resource/access_routes.hpp"
#include "http/view/access_view.hpp"

namespace convene {

namespace {

constexpr std::int64_t most_entries = 500;

schema audit_list_schema() {
    return schema::object(
        "AuditList",
        {required("entries", schema::list(audit_entry_schema())),
         required("next_before", schema::integer({1}).or_null(), "Null when there is nothing older")
        }
    );
}

awaitable<handled> show_organization(access_route_parts parts, route_call call) {
    const auto found = co_await parts.service->organization_of(signed_in_of(call.who));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    write_organization(out, *found);
    co_return json_answer(200, out.take());
}

awaitable<handled> list_audit(access_route_parts parts, route_call call) {
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(most_entries));
    auto listing = parts.service->list_audit(caller_of(call), call.integer("before"), limit + 1);
    auto found = co_await std::move(listing);
    if (!found) {
        co_return problem_of(found.error());
    }
    const bool has_more = found->size() > limit;
    if (has_more) {
        found->pop_back();
    }
    json_writer out;
    out.begin_object();
    out.key("entries").begin_array();
    for (const audit_entry& one : *found) {
        write_audit_entry(out, one);
    }
    out.end_array();
    out.key("next_before");
    if (has_more) {
        out.integer(found->back().sequence);
    } else {
        out.null();
    }
    out.end_object();
    co_return json_answer(200, out.take());
}

}  // namespace

std::vector<route> organization_routes(access_route_parts parts) {
    std::vector<route> routes;

    route showing;
    showing.pattern = "/api/v1/organization";
    showing.operation = "get_organization";
    showing.summary = "The organisation of who is asking";
    showing.tag = "organization";
    showing.answers = {{200, "The organisation", organization_schema()}};
    showing.handle = on(parts, show_organization);
    routes.push_back(std::move(showing));

    route auditing;
    auditing.pattern = "/api/v1/admin/audit";
    auditing.operation = "list_audit";
    auditing.summary = "Who did what, newest first";
    auditing.tag = "admin";
    auditing.who = permission::admin;
    auditing.parameters = {
        query_parameter("limit", schema::integer({1, most_entries}), "Lines on a page", "50"),
        query_parameter("before", schema::integer({1}), "`next_before` of the page before"),
    };
    auditing.answers = {{200, "Newest first", audit_list_schema()}};
    auditing.handle = on(parts, list_audit);
    routes.push_back(std::move(auditing));
    return routes;
}

}  // namespace convene
