-- SPDX-License-Identifier: Apache-2.0
-- Skills, what is pinned to their revisions, and markers that workers agree on: docs/formats/sqlite-schema.md.

-- `password` is sealed (docs/formats/secrets.md); an empty one is none.
CREATE TABLE skills (
    id              text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    version         bigint NOT NULL,
    name            text COLLATE "C" NOT NULL,
    url             text COLLATE "C" NOT NULL,
    reference       text COLLATE "C" NOT NULL,
    path            text COLLATE "C" NOT NULL,
    username        text COLLATE "C" NOT NULL,
    password        text COLLATE "C" NOT NULL,
    state           bigint NOT NULL CHECK (state BETWEEN 1 AND 3),
    revision        text COLLATE "C" NOT NULL,
    error           text COLLATE "C" NOT NULL,
    error_detail    text COLLATE "C" NOT NULL,
    pulls_wanted    bigint NOT NULL,
    pull_epoch      bigint NOT NULL,
    pulled_at       bigint,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL
);

CREATE INDEX skills_organization ON skills (organization_id, id);

CREATE TABLE skill_pins (
    organization_id text COLLATE "C" NOT NULL,
    holder_kind     text COLLATE "C" NOT NULL,
    holder          text COLLATE "C" NOT NULL,
    skill_id        text COLLATE "C" NOT NULL,
    revision        text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, holder_kind, holder)
);

CREATE INDEX skill_pins_skill ON skill_pins (organization_id, skill_id, holder_kind, holder);

CREATE TABLE deployment_markers (
    name  text COLLATE "C" NOT NULL PRIMARY KEY,
    value text COLLATE "C" NOT NULL
);
