// SPDX-License-Identifier: Apache-2.0
// The SQL tables: skills, their pulls and pins.
#include <string>
#include <string_view>
#include <utility>

#include "store/skill_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

std::string select_skills(std::string_view condition) {
    return "SELECT id, organization_id, version, name, url, reference, path, username, password,"
           " secret, state, revision, error, error_detail, pulls_wanted, pull_epoch, pulled_at, "
           "created_at,"
           " updated_at FROM skills " +
           std::string{condition};
}

skill read_skill(query& row) {
    skill found;
    skill_source& source = found.source;
    row.read(found.id, found.organization, found.version, found.name);
    row.read(source.url, source.reference, source.path, source.username, source.password);
    row.read(source.secret);
    row.read(found.state, found.revision, found.error, found.error_detail);
    row.read(found.pulls_wanted, found.pull_epoch, found.pulled_at);
    row.read(found.created_at, found.updated_at);
    return found;
}

std::optional<skill> find_skill(
    session& db, const organization_id& organization, const skill_id& id
) {
    static const std::string text = select_skills("WHERE id = ?1 AND organization_id = ?2");
    query row = db.select(text, id, organization);
    return row.next() ? std::optional{read_skill(row)} : std::nullopt;
}

void write_skill(session& db, const skill& put) {
    static const std::string text = upsert(
        "skills",
        "id",
        {"id",
         "organization_id",
         "version",
         "name",
         "url",
         "reference",
         "path",
         "username",
         "password",
         "secret",
         "state",
         "revision",
         "error",
         "error_detail",
         "pulls_wanted",
         "pull_epoch",
         "pulled_at",
         "created_at",
         "updated_at"}
    );
    db.run(
        text,
        put.id,
        put.organization,
        put.version,
        put.name,
        put.source.url,
        put.source.reference,
        put.source.path,
        put.source.username,
        put.source.password,
        put.source.secret,
        put.state,
        put.revision,
        put.error,
        put.error_detail,
        put.pulls_wanted,
        put.pull_epoch,
        put.pulled_at,
        put.created_at,
        put.updated_at
    );
}

}  // namespace

result<skill> sql_tables::perform(const ops::put_skill& request) {
    const wall_time now = clock_.now();
    const skill& wanted = request.changed;
    if (wanted.version == 0) {
        if (db_.exists("SELECT 1 FROM skills WHERE id = ?1", wanted.id)) {
            return errc::already_exists;
        }
        if (!can_name_secret(wanted.organization, wanted.source.secret)) {
            return errc::invalid_argument;
        }
        skill made = first_of(wanted, now);
        write_skill(db_, made);
        insert_audit(db_, request.audit, now);
        return made;
    }
    std::optional<skill> known = find_skill(db_, wanted.organization, wanted.id);
    if (!known) {
        return errc::not_found;
    }
    if (known->version != wanted.version) {
        return errc::room_changed;
    }
    if (!can_name_secret(wanted.organization, wanted.source.secret)) {
        return errc::invalid_argument;
    }
    skill changed = changed_by(*std::move(known), wanted, now);
    write_skill(db_, changed);
    insert_audit(db_, request.audit, now);
    return changed;
}

result<skill> sql_tables::perform(const ops::get_skill& request) {
    std::optional<skill> known = find_skill(db_, request.organization, request.id);
    if (!known) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<std::vector<skill>> sql_tables::perform(const ops::list_skills& request) {
    if (request.organization) {
        static const std::string of_one = select_skills(
            "WHERE organization_id = ?1 AND (?2 IS NULL OR state = ?2) ORDER BY id"
        );
        return collect(db_.select(of_one, *request.organization, request.state), read_skill);
    }
    static const std::string of_all = select_skills("WHERE ?1 IS NULL OR state = ?1 ORDER BY id");
    return collect(db_.select(of_all, request.state), read_skill);
}

result<ops::skill_deletion> sql_tables::perform(const ops::delete_skill& request) {
    if (!find_skill(db_, request.organization, request.id)) {
        return ops::skill_deletion::not_found;
    }
    if (db_.exists(
            "SELECT 1 FROM skill_pins WHERE organization_id = ?1 AND skill_id = ?2",
            request.organization,
            request.id
        )) {
        return ops::skill_deletion::pinned;
    }
    db_.run("DELETE FROM skills WHERE id = ?1", request.id);
    insert_audit(db_, request.audit, clock_.now());
    return ops::skill_deletion::done;
}

result<skill> sql_tables::perform(const ops::want_skill_pull& request) {
    std::optional<skill> known = find_skill(db_, request.organization, request.id);
    if (!known) {
        return errc::not_found;
    }
    want_pull(*known);
    write_skill(db_, *known);
    insert_audit(db_, request.audit, clock_.now());
    return *std::move(known);
}

result<skill> sql_tables::perform(const ops::begin_skill_pull& request) {
    std::optional<skill> known = find_skill(db_, request.organization, request.id);
    if (!known) {
        return errc::not_found;
    }
    if (known->state == skill_state::cloning) {
        ++known->pull_epoch;
        write_skill(db_, *known);
    }
    return *std::move(known);
}

result<skill> sql_tables::perform(const ops::end_skill_pull& request) {
    std::optional<skill> known = find_skill(db_, request.organization, request.id);
    if (!known) {
        return errc::not_found;
    }
    if (known->pull_epoch != request.epoch) {
        return errc::lease_lost;
    }
    skill ended = ended_by(*std::move(known), request, clock_.now());
    write_skill(db_, ended);
    return ended;
}

result<skill_pin> sql_tables::perform(const ops::pin_skill& request) {
    const skill_pin& pin = request.pin;
    if (!find_skill(db_, pin.organization, pin.skill)) {
        return errc::not_found;
    }
    db_.run(
        "INSERT INTO skill_pins (organization_id, holder_kind, holder, skill_id, revision) VALUES"
        " (?1, ?2, ?3, ?4, ?5) ON CONFLICT (organization_id, holder_kind, holder) DO UPDATE SET"
        " skill_id = ?4, revision = ?5",
        pin.organization,
        pin.holder_kind,
        pin.holder,
        pin.skill,
        pin.revision
    );
    return pin;
}

result<bool> sql_tables::perform(const ops::unpin_skill& request) {
    const std::int64_t removed = db_.run(
        "DELETE FROM skill_pins WHERE organization_id = ?1 AND holder_kind = ?2 AND holder = ?3",
        request.organization,
        request.holder_kind,
        request.holder
    );
    return removed != 0;
}

result<std::vector<skill_pin>> sql_tables::perform(const ops::list_skill_pins& request) {
    return collect(
        db_.select(
            "SELECT organization_id, holder_kind, holder, skill_id, revision FROM skill_pins WHERE"
            " organization_id = ?1 AND skill_id = ?2 ORDER BY holder_kind, holder",
            request.organization,
            request.skill
        ),
        [](query& row) {
            skill_pin found;
            row.read(found.organization, found.holder_kind, found.holder);
            row.read(found.skill, found.revision);
            return found;
        }
    );
}

result<std::string> sql_tables::perform(const ops::agree_on_marker& request) {
    if (!request.proposed.empty()) {
        db_.run(
            "INSERT INTO deployment_markers (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO"
            " NOTHING",
            request.name,
            request.proposed
        );
    }
    return db_
        .value_of<std::string>("SELECT value FROM deployment_markers WHERE name = ?1", request.name)
        .value_or(std::string{});
}

}  // namespace convene::sql
