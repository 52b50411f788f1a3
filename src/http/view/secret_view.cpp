// SPDX-License-Identifier: Apache-2.0
// Showing secrets: what they are for, and who uses them.
#include "http/view/secret_view.hpp"

#include "http/view/words.hpp"

namespace convene {

const schema& secret_schema() {
    static const schema user = schema::object(
        "SecretUser", {required("id", schema::id()), required("name", schema::text())}
    );
    static const schema made = schema::object(
        "Secret",
        {required("name", schema::text(), "What skills refer to it by"),
         required("description", schema::text()),
         required("used_by", schema::list(user), "The skills that name it, by id"),
         required("created_at", schema::time()),
         required("updated_at", schema::time(), "When its value was given")}
    );
    return made;
}

void write_secret(json_writer& out, const listed_secret& shown) {
    out.begin_object();
    out.key("name").string(shown.secret.name.str());
    out.key("description").string(shown.secret.description);
    out.key("used_by").begin_array();
    for (const secret_user& one : shown.used_by) {
        out.begin_object();
        out.key("id").string(one.skill.str());
        out.key("name").string(one.name);
        out.end_object();
    }
    out.end_array();
    write_time(out.key("created_at"), shown.secret.created_at);
    write_time(out.key("updated_at"), shown.secret.updated_at);
    out.end_object();
}

}  // namespace convene
