-- SPDX-License-Identifier: Apache-2.0
-- Secrets that skills name: docs/formats/sqlite-schema.md.

-- `value` is sealed (docs/formats/secrets.md).
CREATE TABLE secrets (
    organization_id TEXT NOT NULL,
    name            TEXT NOT NULL,
    value           TEXT NOT NULL,
    description     TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    PRIMARY KEY (organization_id, name)
) STRICT, WITHOUT ROWID;

-- Empty: none. What the release before this one writes names none.
ALTER TABLE skills ADD COLUMN secret TEXT NOT NULL DEFAULT '';

CREATE INDEX skills_secret ON skills (organization_id, secret, id) WHERE secret <> '';
