// SPDX-License-Identifier: Apache-2.0
// The text of skills and of the secrets that they name, field by field.
#include "support/described_fields.hpp"

namespace convene {

std::string describe(const skill_source& value) {
    return described_fields{"source"}
        .add("url", value.url)
        .add("reference", value.reference)
        .add("path", value.path)
        .add("username", value.username)
        .add("password", value.password)
        .add("secret", value.secret)
        .text();
}

std::string describe(const skill& value) {
    return described_fields{"skill"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("version", value.version)
        .add("name", value.name)
        .add("source", value.source)
        .add("state", value.state)
        .add("revision", value.revision)
        .add("error", value.error)
        .add("error_detail", value.error_detail)
        .add("pulls_wanted", value.pulls_wanted)
        .add("pull_epoch", value.pull_epoch)
        .add("pulled_at", value.pulled_at)
        .add("created_at", value.created_at)
        .add("updated_at", value.updated_at)
        .text();
}

std::string describe(const named_secret& value) {
    return described_fields{"secret"}
        .add("organization", value.organization)
        .add("name", value.name)
        .add("value", value.value)
        .add("description", value.description)
        .add("created_at", value.created_at)
        .add("updated_at", value.updated_at)
        .text();
}

std::string describe(const secret_user& value) {
    return described_fields{"user"}.add("skill", value.skill).add("name", value.name).text();
}

std::string describe(const listed_secret& value) {
    return described_fields{"listed"}
        .add("secret", value.secret)
        .add("used_by", value.used_by)
        .text();
}

std::string describe(const ops::put_secret::answer& value) {
    return described_fields{"put"}.add("stored", value.stored).add("is_new", value.is_new).text();
}

std::string describe(const ops::delete_secret::answer& value) {
    return described_fields{"deletion"}
        .add("outcome", value.outcome)
        .add("used_by", value.used_by)
        .text();
}

}  // namespace convene
