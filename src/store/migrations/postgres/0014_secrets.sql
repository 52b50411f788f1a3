-- SPDX-License-Identifier: Apache-2.0
-- Secrets that skills name: docs/formats/sqlite-schema.md.

-- `value` is sealed (docs/formats/secrets.md).
CREATE TABLE secrets (
    organization_id text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    value           text COLLATE "C" NOT NULL,
    description     text COLLATE "C" NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    PRIMARY KEY (organization_id, name)
);

-- Empty: none. What the release before this one writes names none.
ALTER TABLE skills ADD COLUMN secret text COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX skills_secret ON skills (organization_id, secret, id) WHERE secret <> '';
