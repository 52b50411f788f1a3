// SPDX-License-Identifier: Apache-2.0
// An organisation and its audit trail over HTTP.
#include <utility>

#include "access/field_rules.hpp"
#include "http/resource/access_routes.hpp"
#include "http/shown_once.hpp"
#include "http/view/access_view.hpp"
#include "http/view/words.hpp"

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

// -- the organisations of a deployment ------------------------------------------------------------

schema organization_list_schema() {
    return schema::object(
        "OrganizationList", {required("organizations", schema::list(organization_schema()))}
    );
}

schema new_organization_schema() {
    return schema::input(
        "NewOrganization",
        {required("name", schema::text({1, max_name_bytes})),
         required("admin_email", schema::text({1, max_email_bytes}), "Who is invited as its admin"),
         required("admin_name", schema::text({1, max_name_bytes}))}
    );
}

schema founded_schema() {
    return schema::object(
        "FoundedOrganization",
        {required("organization", organization_schema()),
         required("admin", user_schema()),
         required("link", schema::text(), "Shown once, good once"),
         required("link_expires_at", schema::time())}
    );
}

awaitable<handled> list_organizations(access_route_parts parts, route_call call) {
    const auto found = co_await parts.service->list_organizations(caller_of(call));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("organizations").begin_array();
    for (const organization& one : *found) {
        write_organization(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<or_problem<made_with_secret>> found_organization(
    access_route_parts parts, route_call call
) {
    std::string name = call.body->text("name").value_or("");
    std::string email = call.body->text("admin_email").value_or("");
    std::string admin = call.body->text("admin_name").value_or("");
    for (const checked<>& allowed :
         {check_name(name, "name"),
          check_email(email, "admin_email"),
          check_name(admin, "admin_name")}) {
        if (!allowed) {
            co_return problem_of(allowed.error());
        }
    }
    auto creation = parts.service->create_organization(
        caller_of(call), std::move(name), std::move(email), std::move(admin)
    );
    const auto made = co_await std::move(creation);
    if (!made) {
        co_return problem_of(made.error());
    }
    json_writer out;
    out.begin_object();
    write_organization(out.key("organization"), made->founded);
    write_user(out.key("admin"), made->admin);
    out.key("link").string(link_to(parts.base_url, made->invitation.token));
    write_time(out.key("link_expires_at"), made->invitation.expires_at);
    out.end_object();
    co_return made_with_secret{made->founded.id.str(), json_answer(201, out.take())};
}

problem first_organization_problem() {
    return conflict_problem(
        "FIRST_ORGANIZATION",
        "the deployment's own organisation stays: delete its rooms, or remove the database"
    );
}

awaitable<handled> erase_organization(access_route_parts parts, route_call call) {
    organization_id id{call.at("organization_id")};
    const bool is_own = id == call.who.organization;
    if (is_own && parts.service->is_first(id)) {
        co_return first_organization_problem();
    }
    if (call.text("confirm") != id.str()) {
        problem what = validation_problem("confirm", boundary_reason::unknown_value);
        what.detail = "this can't be undone: send the organisation's id as `confirm`, too";
        co_return what;
    }
    const auto begun = co_await parts.service->erase_organization(caller_of(call), std::move(id));
    if (!begun) {
        co_return problem_of(begun.error());
    }
    http_response answer = no_content();
    answer.status = 202;
    co_return answer;
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

    route listing;
    listing.pattern = "/api/v1/organizations";
    listing.operation = "list_organizations";
    listing.summary = "The deployment's organisations, for admins of the first one";
    listing.tag = "organization";
    listing.who = permission::admin;
    listing.answers = {{200, "By id", organization_list_schema()}};
    listing.handle = on(parts, list_organizations);
    routes.push_back(std::move(listing));

    route founding;
    founding.method = http_method::post;
    founding.pattern = "/api/v1/organizations";
    founding.operation = "create_organization";
    founding.summary = "Makes an organisation and invites its admin, for admins of the first one";
    founding.tag = "organization";
    founding.who = permission::admin;
    founding.body = new_organization_schema();
    founding.answers = {{201, "The organisation, and the link to pass on", founded_schema()}};
    founding.key = key_rule::honoured;
    founding.handle = once_for_each_key(
        &parts.service->store(),
        "`DELETE organizations/{organization_id}` and make another under another key",
        [parts](route_call call) { return found_organization(parts, std::move(call)); }
    );
    routes.push_back(std::move(founding));

    route erasing;
    erasing.method = http_method::delete_;
    erasing.pattern = "/api/v1/organizations/{organization_id}";
    erasing.operation = "erase_organization";
    erasing.summary = "Erases an organisation with all it has";
    erasing.tag = "organization";
    erasing.who = permission::admin;
    erasing.parameters = {query_parameter("confirm", schema::id(), "The id once more")};
    erasing.answers = {{202, "Nobody can use it any more; the rest is being erased", {}}};
    erasing.handle = on(parts, erase_organization);
    routes.push_back(std::move(erasing));

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
