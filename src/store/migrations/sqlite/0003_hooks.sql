-- SPDX-License-Identifier: Apache-2.0
-- Remote hooks, and the version of what all rooms of an organisation have in common: docs/formats/sqlite-schema.md.

-- A row once something changed. Every commit of the organisation compares it.
CREATE TABLE organization_configs (
    organization_id TEXT NOT NULL PRIMARY KEY,
    config_version  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `room_id` is empty for a hook of the whole organisation. Secrets are sealed.
CREATE TABLE hooks (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    name            TEXT NOT NULL,
    url             TEXT NOT NULL,
    mode            INTEGER NOT NULL CHECK (mode BETWEEN 1 AND 3),
    priority        INTEGER NOT NULL,
    channel_types   TEXT NOT NULL,
    event_types     TEXT NOT NULL,
    deadline_ms     INTEGER NOT NULL,
    on_failure      INTEGER NOT NULL CHECK (on_failure BETWEEN 1 AND 2),
    is_enabled      INTEGER NOT NULL,
    secret          TEXT NOT NULL,
    previous_secret TEXT NOT NULL,
    previous_until  INTEGER,
    revision        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX hooks_place ON hooks (organization_id, room_id, priority, id);
