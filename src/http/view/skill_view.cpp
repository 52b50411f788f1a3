// SPDX-License-Identifier: Apache-2.0
// Showing skills: never their password.
#include "http/view/skill_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& skill_schema() {
    static const schema made = schema::object(
        "Skill",
        {required("id", schema::id()),
         required("name", schema::text()),
         required("url", schema::text(), "Of its repository"),
         required("reference", schema::text(), "A branch, a tag or a commit; empty: the default"),
         required("path", schema::text(), "Its folder in the repository; empty: all of it"),
         required("username", schema::text(), "Empty: the repository is read without credentials"),
         required("has_password", schema::boolean(), "Of its own"),
         required("secret", schema::text(), "Whose value is the password; empty: none"),
         required("state", words_of("SkillState", skill_state::cloning)),
         required("revision", schema::text(), "The commit in use; empty: none was pulled yet"),
         required("error", schema::text(), "Of the last pull: a stable word; empty: none"),
         required("error_detail", schema::text(), "What and where, and what helps"),
         required("pulled_at", schema::time().or_null(), "When the revision was the newest"),
         required("version", schema::integer({1}), "Counts changes, not pulls"),
         required("created_at", schema::time()),
         required("updated_at", schema::time())}
    );
    return made;
}

const schema& skill_files_schema() {
    static const schema file = schema::object(
        "SkillFile", {required("path", schema::text()), required("size", schema::integer({0}))}
    );
    static const schema made = schema::object(
        "SkillFiles",
        {required("revision", schema::text()),
         required("name", schema::text(), "As SKILL.md has it, as what follows"),
         required("description", schema::text()),
         required("license", schema::text()),
         required("compatibility", schema::text()),
         required("allowed_tools", schema::list(schema::text())),
         required("metadata", schema::any_object()),
         required("body", schema::text(), "Markdown"),
         required("files", schema::list(file), "Besides SKILL.md, by path")}
    );
    return made;
}

void write_skill(json_writer& out, const skill& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("name").string(shown.name);
    out.key("url").string(shown.source.url);
    out.key("reference").string(shown.source.reference);
    out.key("path").string(shown.source.path);
    out.key("username").string(shown.source.username);
    out.key("has_password").boolean(!shown.source.password.empty());
    out.key("secret").string(shown.source.secret.str());
    out.key("state").string(word_of(shown.state));
    out.key("revision").string(shown.revision.str());
    out.key("error").string(shown.error);
    out.key("error_detail").string(shown.error_detail);
    write_time(out.key("pulled_at"), shown.pulled_at);
    out.key("version").integer(shown.version);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
    out.end_object();
}

json_text skill_as_json(const skill& shown) {
    json_writer out;
    write_skill(out, shown);
    return out.take();
}

json_text skill_files_as_json(const loaded_skill& shown) {
    const skill_metadata& about = shown.document.about;
    json_writer out;
    out.begin_object();
    out.key("revision").string(shown.revision.str());
    out.key("name").string(about.name);
    out.key("description").string(about.description);
    out.key("license").string(about.license);
    out.key("compatibility").string(about.compatibility);
    out.key("allowed_tools").begin_array();
    for (const std::string& tool : about.allowed_tools) {
        out.string(tool);
    }
    out.end_array();
    out.key("metadata").begin_object();
    for (const auto& [name, value] : about.metadata) {
        out.key(name).string(value);
    }
    out.end_object();
    out.key("body").string(shown.document.body);
    out.key("files").begin_array();
    for (const loaded_skill::file& one : shown.files) {
        out.begin_object();
        out.key("path").string(one.path);
        out.key("size").integer(static_cast<std::int64_t>(one.size));
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take();
}

}  // namespace convene
