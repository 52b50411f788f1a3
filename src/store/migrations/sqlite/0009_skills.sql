-- SPDX-License-Identifier: Apache-2.0
-- Skills, what is pinned to their revisions, and markers that workers agree on: docs/formats/sqlite-schema.md.

-- `password` is sealed (docs/formats/secrets.md); an empty one is none.
CREATE TABLE skills (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    version         INTEGER NOT NULL,
    name            TEXT NOT NULL,
    url             TEXT NOT NULL,
    reference       TEXT NOT NULL,
    path            TEXT NOT NULL,
    username        TEXT NOT NULL,
    password        TEXT NOT NULL,
    state           INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    revision        TEXT NOT NULL,
    error           TEXT NOT NULL,
    error_detail    TEXT NOT NULL,
    pulls_wanted    INTEGER NOT NULL,
    pull_epoch      INTEGER NOT NULL,
    pulled_at       INTEGER,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX skills_organization ON skills (organization_id, id);

CREATE TABLE skill_pins (
    organization_id TEXT NOT NULL,
    holder_kind     TEXT NOT NULL,
    holder          TEXT NOT NULL,
    skill_id        TEXT NOT NULL,
    revision        TEXT NOT NULL,
    PRIMARY KEY (organization_id, holder_kind, holder)
) STRICT, WITHOUT ROWID;

CREATE INDEX skill_pins_skill ON skill_pins (organization_id, skill_id, holder_kind, holder);

CREATE TABLE deployment_markers (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
