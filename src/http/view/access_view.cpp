// SPDX-License-Identifier: Apache-2.0
// Showing who may use a deployment.
#include "http/view/access_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& user_role_schema() {
    static const schema made = words_of("UserRole", user_role::member);
    return made;
}

const schema& organization_schema() {
    static const schema made = schema::object(
        "Organization", {required("id", schema::id()), required("name", schema::text())}
    );
    return made;
}

const schema& me_schema() {
    static const schema person = schema::object(
        "Myself",
        {required("id", schema::id()),
         required("email", schema::text()),
         required("display_name", schema::text()),
         required("role", user_role_schema())}
    );
    static const schema made = schema::object(
        "Me",
        {required("user", person.or_null(), "Null for a token"),
         required("organization", organization_schema()),
         required("csrf_token", schema::text(), "For `X-CSRF-Token`; empty for a token")}
    );
    return made;
}

const schema& user_schema() {
    static const schema made = schema::object(
        "User",
        {required("id", schema::id()),
         required("email", schema::text()),
         required("display_name", schema::text()),
         required("role", user_role_schema()),
         required("is_active", schema::boolean()),
         required("has_password", schema::boolean(), "False until the invitation was used"),
         required("created_at", schema::time())}
    );
    return made;
}

const schema& api_token_schema() {
    static const schema made = schema::object(
        "ApiToken",
        {required("id", schema::id()),
         required("name", schema::text()),
         required("role", user_role_schema()),
         required("created_by", schema::text(), "A user; empty: nobody of the organisation"),
         required("expires_at", schema::time().or_null()),
         required("created_at", schema::time()),
         required("last_used_at", schema::time().or_null(), "To a few minutes")}
    );
    return made;
}

const schema& audit_entry_schema() {
    static const schema made = schema::object(
        "AuditEntry",
        {required("sequence", schema::integer({1})),
         required("actor", schema::text(), "`user:ID`, `token:ID`, `bootstrap`, or empty"),
         required("action", schema::text(), "A stable word: `user.created`"),
         required("target", schema::text(), "The id of what it was done to"),
         required("details", schema::any_object()),
         required("peer", schema::text(), "Network address"),
         required("at", schema::time())}
    );
    return made;
}

void write_organization(json_writer& out, const organization& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("name").string(shown.name);
    out.end_object();
}

json_text me_as_json(
    const principal& who, const organization& around, std::string_view csrf_token
) {
    json_writer out;
    out.begin_object();
    out.key("user");
    if (who.is_user()) {
        out.begin_object();
        out.key("id").string(who.user);
        out.key("email").string(who.user_email);
        out.key("display_name").string(who.display_name);
        out.key("role").string(word_of(who.role));
        out.end_object();
    } else {
        out.null();
    }
    write_organization(out.key("organization"), around);
    out.key("csrf_token").string(csrf_token);
    out.end_object();
    return out.take();
}

void write_user(json_writer& out, const user& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("email").string(shown.email);
    out.key("display_name").string(shown.display_name);
    out.key("role").string(word_of(shown.role));
    out.key("is_active").boolean(shown.is_active);
    out.key("has_password").boolean(!shown.password_hash.empty());
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

json_text user_as_json(const user& shown) {
    json_writer out;
    write_user(out, shown);
    return out.take();
}

void write_api_token(json_writer& out, const api_token& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("name").string(shown.name);
    out.key("role").string(word_of(shown.role));
    out.key("created_by").string(shown.created_by.str());
    write_time(out.key("expires_at"), shown.expires_at);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("last_used_at"), shown.last_used_at);
    out.end_object();
}

void write_audit_entry(json_writer& out, const audit_entry& shown) {
    out.begin_object();
    out.key("sequence").integer(shown.sequence);
    out.key("actor").string(shown.actor);
    out.key("action").string(shown.action);
    out.key("target").string(shown.target);
    out.key("details").json(shown.details);
    out.key("peer").string(shown.peer);
    write_time(out.key("at"), shown.at);
    out.end_object();
}

std::string link_to(std::string_view base_url, std::string_view token) {
    return std::string{base_url} + "/login#link=" + std::string{token};
}

}  // namespace convene
