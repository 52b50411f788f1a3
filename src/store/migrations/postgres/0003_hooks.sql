-- SPDX-License-Identifier: Apache-2.0
-- Remote hooks, and the version of what all rooms of an organisation have in common: docs/formats/sqlite-schema.md.

-- A row once something changed. Every commit of the organisation compares it.
CREATE TABLE organization_configs (
    organization_id text COLLATE "C" NOT NULL PRIMARY KEY,
    config_version  bigint NOT NULL
);

-- `room_id` is empty for a hook of the whole organisation. Secrets are sealed.
CREATE TABLE hooks (
    id              text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    room_id         text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    url             text COLLATE "C" NOT NULL,
    mode            bigint NOT NULL CHECK (mode BETWEEN 1 AND 3),
    priority        bigint NOT NULL,
    channel_types   text COLLATE "C" NOT NULL,
    event_types     text COLLATE "C" NOT NULL,
    deadline_ms     bigint NOT NULL,
    on_failure      bigint NOT NULL CHECK (on_failure BETWEEN 1 AND 2),
    is_enabled      bigint NOT NULL,
    secret          text COLLATE "C" NOT NULL,
    previous_secret text COLLATE "C" NOT NULL,
    previous_until  bigint,
    revision        bigint NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL
);

CREATE INDEX hooks_place ON hooks (organization_id, room_id, priority, id);
