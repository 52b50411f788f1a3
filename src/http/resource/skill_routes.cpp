// SPDX-License-Identifier: Apache-2.0
// Skills over HTTP: what is asked for is checked, the rest is the service's.
#include "http/resource/skill_routes.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/uuid.hpp"
#include "http/audit.hpp"
#include "http/uri.hpp"
#include "http/view/skill_view.hpp"
#include "skill/skill_paths.hpp"

namespace convene {

namespace {

/// The namespace of ids of skills that were made with an `Idempotency-Key`. Frozen.
constexpr std::string_view keyed_skills = "6d2f7f5e-0f0c-4b87-9a55-3c1c64a1f0d7";

constexpr std::size_t max_name_bytes = 200;
constexpr std::size_t max_username_bytes = 200;
constexpr std::size_t max_password_bytes = 4096;

// -- what is asked for -------------------------------------------------------------------------------------

std::vector<schema_field> source_fields() {
    return {
        optional("reference", schema::text({0, 200}), "A branch, a tag or a commit"),
        optional("path", schema::text({0, max_inner_path_bytes}), "The folder with SKILL.md"),
        optional("username", schema::text({0, max_username_bytes}), "Empty: no credentials"),
        optional(
            "password",
            schema::text({0, max_password_bytes}),
            "Or a token; sealed, and shown nowhere. Another url or username forgets it"
        ),
        optional(
            "secret",
            schema::text({0, max_secret_name_bytes}),
            "Whose value is the password, instead of one. Another url or username forgets it"
        ),
    };
}

schema new_skill_schema() {
    std::vector<schema_field> fields{
        required("name", schema::text({1, max_name_bytes}), "For people"),
        required(
            "url", schema::text({1, max_repository_url_bytes}), "Of a git repository: https://..."
        ),
    };
    for (schema_field& field : source_fields()) {
        fields.push_back(std::move(field));
    }
    return schema::input("NewSkill", std::move(fields));
}

schema skill_patch_schema() {
    std::vector<schema_field> fields{
        optional("name", schema::text({1, max_name_bytes})),
        optional("url", schema::text({1, max_repository_url_bytes})),
    };
    for (schema_field& field : source_fields()) {
        fields.push_back(std::move(field));
    }
    return schema::input("SkillPatch", std::move(fields));
}

schema skill_list_schema() {
    return schema::object("SkillList", {required("skills", schema::list(skill_schema()))});
}

/// A user name is the part before the colon, and neither part can hold an end of a line.
bool is_credential(std::string_view text, std::string_view refused) {
    return text.find_first_of(refused) == std::string_view::npos;
}

/// What the schemas can't say.
or_problem<> check_source(const read_object& body, local_repositories local) {
    if (const auto url = body.text("url")) {
        const auto usable = parse_repository_url(*url, local, "url");
        if (!usable) {
            return problem_of(usable.error());
        }
    }
    const auto reference = body.text("reference").value_or("");
    if (!reference.empty() && !is_reference(reference)) {
        return validation_problem("reference", boundary_reason::malformed);
    }
    const auto path = body.text("path").value_or("");
    if (!path.empty() && !is_inner_path(path)) {
        return validation_problem("path", boundary_reason::malformed);
    }
    if (!is_credential(body.text("username").value_or(""), ":\r\n")) {
        return validation_problem("username", boundary_reason::malformed);
    }
    if (!is_credential(body.text("password").value_or(""), "\r\n")) {
        return validation_problem("password", boundary_reason::malformed);
    }
    const auto secret = body.text("secret").value_or("");
    if (secret.empty()) {
        return {};
    }
    if (!is_secret_name(secret)) {
        return validation_problem("secret", boundary_reason::malformed);
    }
    if (!body.text("password").value_or("").empty()) {
        return validation_problem("secret", boundary_reason::not_allowed_here);
    }
    return {};
}

/// Puts what the body names into a skill; the rest stays.
void apply_to(skill& changed, const read_object& body) {
    changed.name = body.text("name").value_or(changed.name);
    skill_source& source = changed.source;
    source.url = body.text("url").value_or(source.url);
    source.reference = body.text("reference").value_or(source.reference);
    source.path = body.text("path").value_or(source.path);
    source.username = body.text("username").value_or(source.username);
}

/// What only the skill as it will be can say.
or_problem<> check_username(const skill& changed, const std::optional<std::string>& secret) {
    if (secret && !secret->empty() && changed.source.username.empty()) {
        return validation_problem("username", boundary_reason::missing_field);
    }
    return {};
}

/// Who is asking, for the audit trail; the service fills in the rest.
audit_entry by_caller(const route_call& call) { return audit_of(call, {}, {}); }

// -- what is answered --------------------------------------------------------------------------------------

problem problem_of_skill(error_code code) {
    if (code == errc::invalid_argument) {
        return validation_problem("secret", boundary_reason::unknown_value);
    }
    if (code == errc::overloaded) {
        return conflict_problem("LIMIT_REACHED", "the organisation has 200 skills: remove one");
    }
    return problem_of(code == errc::room_changed ? make_error_code(errc::room_contended) : code);
}

handled show(const result<skill>& found, int status) {
    if (!found) {
        return problem_of_skill(found.error());
    }
    http_response answer = json_answer(status, skill_as_json(*found));
    if (status == 201) {
        answer.headers.set("location", "/api/v1/skills/" + percent_encode(found->id.str()));
    }
    return answer;
}

/// The skill that was made or is to be pulled; with `?wait=ready` as the pull left it, if that ends in time.
awaitable<result<skill>> when_wanted(skill_route_parts parts, result<skill> wanting, bool waits) {
    if (!wanting || !waits) {
        co_return wanting;
    }
    const deadline until{parts.where->now() + parts.longest_wait};
    auto pulled = co_await parts.skills->wait_until_pulled(
        wanting->organization, wanting->id, until
    );
    co_return pulled;
}

bool is_waiting(const route_call& call) { return call.text("wait") == "ready"; }

parameter wait_parameter() {
    return query_parameter(
        "wait",
        schema::word("", {"ready"}),
        "`ready` answers when the pull has ended, or after 30 s as things are"
    );
}

// -- handlers ----------------------------------------------------------------------------------------------

awaitable<handled> list_skills(skill_route_parts parts, route_call call) {
    const auto found = co_await parts.skills->list(call.who.organization);
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object().key("skills").begin_array();
    for (const skill& one : *found) {
        write_skill(out, one);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

/// The skill that the same key made before, if it was asked for in the same words.
awaitable<handled> find_first(skill_route_parts parts, skill wanted) {
    const auto first = co_await parts.skills->get(wanted.organization, wanted.id);
    const bool is_same = first && first->name == wanted.name &&
                         first->source.url == wanted.source.url &&
                         first->source.reference == wanted.source.reference &&
                         first->source.path == wanted.source.path &&
                         first->source.secret == wanted.source.secret;
    if (first && !is_same) {
        co_return problem_of(make_error_code(errc::idempotency_key_reused));
    }
    co_return show(first, 200);
}

awaitable<handled> add_skill(skill_route_parts parts, route_call call) {
    const or_problem<> fine = check_source(*call.body, parts.local);
    if (!fine) {
        co_return fine.error();
    }
    skill wanted;
    wanted.organization = call.who.organization;
    apply_to(wanted, *call.body);
    const std::optional<std::string> secret = call.body->text("secret");
    const or_problem<> named = check_username(wanted, secret);
    if (!named) {
        co_return named.error();
    }
    wanted.source.secret = secret_name{secret.value_or(std::string{})};
    if (!call.idempotency_key.empty()) {
        wanted.id = skill_id{uuid5(keyed_skills, call.who.rate_key() + '\n' + call.idempotency_key)
        };
    }
    const skill first = wanted;
    std::string password = call.body->text("password").value_or(std::string{});
    auto made = co_await parts.skills->create(
        std::move(wanted), std::move(password), by_caller(call)
    );
    if (!made && made.error() == errc::already_exists) {
        auto finding = find_first(parts, first);
        co_return co_await std::move(finding);
    }
    const auto shown = co_await when_wanted(parts, std::move(made), is_waiting(call));
    co_return show(shown, 201);
}

awaitable<handled> get_skill(skill_route_parts parts, route_call call) {
    skill_id id{call.at("skill_id")};
    const auto found = co_await parts.skills->get(call.who.organization, std::move(id));
    co_return show(found, 200);
}

awaitable<handled> update_skill(skill_route_parts parts, route_call call) {
    const or_problem<> fine = check_source(*call.body, parts.local);
    if (!fine) {
        co_return fine.error();
    }
    given_credentials given;
    given.password = call.body->text("password");
    const std::optional<std::string> secret = call.body->text("secret");
    if (secret) {
        given.secret = secret_name{*secret};
    }
    skill_id id{call.at("skill_id")};
    or_problem<> named;
    auto apply = [&named, secret, body = *call.body](skill& changed) {
        apply_to(changed, body);
        named = check_username(changed, secret);
    };
    auto changed = co_await parts.skills->change(
        std::move(id), std::move(apply), std::move(given), by_caller(call)
    );
    if (!named) {
        co_return named.error();
    }
    const auto shown = co_await when_wanted(parts, std::move(changed), is_waiting(call));
    co_return show(shown, 200);
}

awaitable<handled> remove_skill(skill_route_parts parts, route_call call) {
    skill_id id{call.at("skill_id")};
    const auto removed = co_await parts.skills->remove(std::move(id), by_caller(call));
    if (!removed) {
        co_return problem_of(removed.error());
    }
    if (*removed == ops::skill_deletion::pinned) {
        co_return conflict_problem(
            "SKILL_IN_USE", "something still needs a revision of this skill"
        );
    }
    if (*removed == ops::skill_deletion::not_found) {
        co_return not_found_problem();
    }
    co_return no_content();
}

awaitable<handled> pull_skill(skill_route_parts parts, route_call call) {
    skill_id id{call.at("skill_id")};
    auto wanting = co_await parts.skills->want_pull(std::move(id), by_caller(call));
    const auto shown = co_await when_wanted(parts, std::move(wanting), is_waiting(call));
    const bool is_over = shown && shown->state != skill_state::cloning;
    co_return show(shown, is_over ? 200 : 202);
}

awaitable<handled> list_files(skill_route_parts parts, route_call call) {
    const std::string revision = call.text("revision").value_or("");
    if (!revision.empty() && !is_commit(revision)) {
        co_return validation_problem("revision", boundary_reason::malformed);
    }
    skill_id id{call.at("skill_id")};
    revision_id wanted{revision};
    const auto loaded = co_await parts.skills->load(call.who.organization, id, std::move(wanted));
    if (!loaded && loaded.error() == skill_errc::not_ready) {
        problem missing = problem_of(loaded.error());
        missing.members = {{"skill_id", id.str()}, {"revision", revision}};
        co_return missing;
    }
    if (!loaded) {
        co_return problem_of(loaded.error());
    }
    co_return json_answer(200, skill_files_as_json(*loaded));
}

// -- the routes --------------------------------------------------------------------------------------------

using skill_handler = awaitable<handled> (*)(skill_route_parts parts, route_call call);

route_handler on(skill_route_parts parts, skill_handler handle) {
    return [parts, handle](route_call call) {
        return parts.skills == nullptr ? refuse_without_skills() : handle(parts, std::move(call));
    };
}

route skill_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/skills" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "skills";
    made.who = permission::admin;
    return made;
}

}  // namespace

awaitable<handled> refuse_without_skills() {
    co_return conflict_problem(
        "SKILLS_DISABLED", "this deployment has no folder for skills: set SKILLS_DIR"
    );
}

std::vector<route> skill_routes(skill_route_parts parts) {
    std::vector<route> routes;

    route listing = skill_route(http_method::get, "", "list_skills", "Skills and how they fare");
    listing.who = permission::operator_;
    listing.answers = {{200, "By id", skill_list_schema()}};
    listing.handle = on(parts, list_skills);
    routes.push_back(std::move(listing));

    route adding = skill_route(
        http_method::post, "", "add_skill", "Registers a skill, and begins to pull it"
    );
    adding.parameters = {wait_parameter()};
    adding.body = new_skill_schema();
    adding.answers = {
        {200, "The skill that this key made before", skill_schema()},
        {201, "The skill; `cloning` while its pull runs", skill_schema()},
    };
    adding.key = key_rule::honoured;
    adding.handle = on(parts, add_skill);
    routes.push_back(std::move(adding));

    route getting = skill_route(http_method::get, "/{skill_id}", "get_skill", "A skill");
    getting.who = permission::operator_;
    getting.answers = {{200, "The skill", skill_schema()}};
    getting.handle = on(parts, get_skill);
    routes.push_back(std::move(getting));

    route changing = skill_route(
        http_method::patch,
        "/{skill_id}",
        "update_skill",
        "Changes what is named; another source is pulled"
    );
    changing.parameters = {wait_parameter()};
    changing.body = skill_patch_schema();
    changing.answers = {{200, "The skill", skill_schema()}};
    changing.handle = on(parts, update_skill);
    routes.push_back(std::move(changing));

    route removing = skill_route(
        http_method::delete_,
        "/{skill_id}",
        "remove_skill",
        "Removes a skill that nothing is pinned to"
    );
    removing.answers = {{204, "Gone", std::nullopt}};
    removing.handle = on(parts, remove_skill);
    routes.push_back(std::move(removing));

    route pulling = skill_route(
        http_method::post, "/{skill_id}/pull", "pull_skill", "Pulls what the repository has now"
    );
    pulling.parameters = {wait_parameter()};
    pulling.answers = {
        {200, "The skill after its pull", skill_schema()},
        {202, "The skill; its pull runs", skill_schema()},
    };
    pulling.handle = on(parts, pull_skill);
    routes.push_back(std::move(pulling));

    route looking = skill_route(
        http_method::get,
        "/{skill_id}/files",
        "list_skill_files",
        "What a revision has: SKILL.md, and its other files by name"
    );
    looking.who = permission::operator_;
    looking.parameters = {query_parameter(
        "revision", schema::text({0, 64}), "A commit that was pulled; left out: the one in use"
    )};
    looking.answers = {{200, "The revision", skill_files_schema()}};
    looking.handle = on(parts, list_files);
    routes.push_back(std::move(looking));
    return routes;
}

}  // namespace convene
