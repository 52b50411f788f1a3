// SPDX-License-Identifier: Apache-2.0
// Identities over HTTP: people across the rooms of an organisation.
#include <utility>

#include "base/json_writer.hpp"
#include "http/resource/bodies.hpp"
#include "http/resource/resources.hpp"
#include "http/view/participant_view.hpp"
#include "store/operations/operating.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

const schema& address_schema() {
    static const schema made = schema::input(
        "IdentityAddress",
        {required("channel_type", schema::id(), "`sms`, `email`, ..."),
         required("address", schema::id(), "A phone number, a mailbox, ...")}
    );
    return made;
}

schema new_identity_schema() {
    return schema::input(
        "NewIdentity",
        {optional("id", schema::id(), "Left out: made"),
         required("display_name", schema::text({0, 256})),
         optional("metadata", schema::any_object()),
         optional("addresses", schema::list(address_schema(), 100), "Moved here if they are known")}
    );
}

awaitable<result<>> link(
    resource_parts parts, organization_id organization, identity_id person, read_object address
) {
    ops::link_address request;
    request.organization = std::move(organization);
    request.identity = std::move(person);
    request.channel_type = address.text("channel_type").value_or("");
    request.address = address.text("address").value_or("");
    const auto linked = co_await parts.kit->store().run(std::move(request));
    co_return linked ? result<>{} : result<>{linked.error()};
}

awaitable<handled> create_identity(resource_parts parts, route_call call) {
    const read_object& body = *call.body;
    identity person;
    person.id = identity_id{body.text("id").value_or("")};
    if (person.id.empty()) {
        person.id = parts.ids->next<identity_id>();
    }
    person.organization = call.who.organization;
    person.display_name = body.text("display_name").value_or("");
    person.metadata = body.json("metadata").value_or(json_text{});
    ops::create_identity request{std::move(person)};
    const auto made = co_await parts.kit->store().run(std::move(request));
    if (!made) {
        co_return problem_of(made.error());
    }
    for (const read_object& address : body.objects("addresses")) {
        const result<> linked = co_await link(parts, call.who.organization, made->id, address);
        if (!linked) {
            co_return problem_of(linked.error());
        }
    }
    co_return json_answer(201, identity_as_json(*made));
}

awaitable<handled> get_identity(resource_parts parts, route_call call) {
    ops::get_identity request{call.who.organization, identity_id{call.at("identity_id")}};
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return json_answer(200, identity_as_json(*found));
}

schema identity_patch_schema() {
    return schema::input(
        "IdentityPatch",
        {optional("display_name", schema::text({0, 256})),
         optional(
             "metadata", schema::any_object(), "Keys are replaced, those that are `null` removed"
         )}
    );
}

awaitable<handled> patch_identity(resource_parts parts, route_call call) {
    ops::update_identity request;
    request.organization = call.who.organization;
    request.id = identity_id{call.at("identity_id")};
    request.display_name = call.body->text("display_name");
    if (const auto metadata = call.body->json("metadata")) {
        merge_patch patch = split_merge_patch(*metadata);
        request.metadata_patch = std::move(patch.set);
        request.metadata_unset = std::move(patch.unset);
    }
    const auto changed = co_await parts.kit->store().run(std::move(request));
    if (!changed) {
        co_return problem_of(changed.error());
    }
    co_return json_answer(200, identity_as_json(*changed));
}

awaitable<handled> resolve_identity(resource_parts parts, route_call call) {
    ops::resolve_identity request;
    request.organization = call.who.organization;
    request.channel_type = call.text("channel_type").value_or("");
    request.address = call.text("address").value_or("");
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    if (!*found) {
        co_return not_found_problem();
    }
    co_return json_answer(200, identity_as_json(**found));
}

awaitable<handled> link_address(resource_parts parts, route_call call) {
    identity_id person{call.at("identity_id")};
    const result<> linked = co_await link(
        parts, call.who.organization, std::move(person), *call.body
    );
    if (!linked) {
        co_return problem_of(linked.error());
    }
    co_return no_content();
}

route identity_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/identities" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "identities";
    made.who = permission::operator_;
    made.answers = {{200, "The identity", identity_schema()}};
    return made;
}

parameter required_parameter(std::string name, std::string description) {
    parameter made = query_parameter(std::move(name), schema::id(), std::move(description));
    made.need = presence::required;
    return made;
}

}  // namespace

std::vector<route> identity_routes(resource_parts parts) {
    std::vector<route> routes;

    route creating = identity_route(http_method::post, "", "create_identity", "Adds a person");
    creating.body = new_identity_schema();
    creating.answers = {{201, "The identity", identity_schema()}};
    creating.handle = on(parts, create_identity);
    routes.push_back(std::move(creating));

    route resolving = identity_route(
        http_method::get, "/resolve", "resolve_identity", "Whose an address is"
    );
    resolving.parameters = {
        required_parameter("channel_type", "`sms`, `email`, ..."),
        required_parameter("address", "A phone number, a mailbox, ..."),
    };
    resolving.handle = on(parts, resolve_identity);
    routes.push_back(std::move(resolving));

    route getting = identity_route(
        http_method::get, "/{identity_id}", "get_identity", "One person"
    );
    getting.handle = on(parts, get_identity);
    routes.push_back(std::move(getting));

    route patching = identity_route(
        http_method::patch, "/{identity_id}", "update_identity", "Changes what is named"
    );
    patching.body = identity_patch_schema();
    patching.handle = on(parts, patch_identity);
    routes.push_back(std::move(patching));

    route linking = identity_route(
        http_method::post, "/{identity_id}/addresses", "link_address", "Gives a person an address"
    );
    linking.body = address_schema();
    linking.answers = {{204, "It is linked, and nobody else's any more", {}}};
    linking.handle = on(parts, link_address);
    routes.push_back(std::move(linking));
    return routes;
}

}  // namespace convene
