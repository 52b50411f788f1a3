-- SPDX-License-Identifier: Apache-2.0
-- The first layout of a SQLite store. Columns, words and numbers: docs/formats/sqlite-schema.md.

-- Small and hot: every commit changes a row here, so it holds no large value, and no index of it holds a
-- column that a commit changes.
CREATE TABLE rooms (
    id               TEXT NOT NULL PRIMARY KEY,
    organization_id  TEXT NOT NULL,
    external_id      TEXT NOT NULL,
    status           INTEGER NOT NULL CHECK (status BETWEEN 1 AND 4),
    config_version   INTEGER NOT NULL,
    timeline_epoch   INTEGER NOT NULL,
    next_index       INTEGER NOT NULL,
    event_count      INTEGER NOT NULL,
    latest_index     INTEGER NOT NULL,
    lock_epoch       INTEGER NOT NULL,
    inactive_after   INTEGER,
    closed_after     INTEGER,
    responses        INTEGER NOT NULL CHECK (responses BETWEEN 1 AND 2),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL,
    paused_at        INTEGER,
    closed_at        INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX rooms_organization ON rooms (organization_id, id);
CREATE UNIQUE INDEX rooms_external ON rooms (organization_id, external_id) WHERE external_id <> '';

-- A row only where metadata is not the empty object.
CREATE TABLE room_metadata (
    room_id  TEXT NOT NULL PRIMARY KEY,
    metadata TEXT NOT NULL
) STRICT;

-- `waits_for`: who committed the event in front of which the cursor stands; NULL when there is none. It changes
-- when a room falls behind and when its cursor steps.
CREATE TABLE room_cursors (
    room_id         TEXT NOT NULL PRIMARY KEY,
    delivered_index INTEGER NOT NULL,
    claimer         TEXT NOT NULL,
    claim_epoch     INTEGER NOT NULL,
    takeovers       INTEGER NOT NULL,
    waits_for       TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX room_cursors_waiting ON room_cursors (waits_for, room_id) WHERE waits_for IS NOT NULL;

CREATE TABLE room_timers (
    room_id TEXT NOT NULL PRIMARY KEY,
    due_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX room_timers_due ON room_timers (due_at, room_id);

-- `organization_id` and `room_is_open` repeat the room's, so that routing by channel reads no closed room.
CREATE TABLE bindings (
    room_id         TEXT NOT NULL,
    channel_id      TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    room_is_open    INTEGER NOT NULL,
    channel_type    TEXT NOT NULL,
    kind            INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 2),
    access          INTEGER NOT NULL CHECK (access BETWEEN 1 AND 4),
    is_muted        INTEGER NOT NULL,
    visibility      TEXT NOT NULL,
    participant_id  TEXT NOT NULL,
    address         TEXT NOT NULL,
    max_retries     INTEGER,
    base_delay_ms   INTEGER,
    max_delay_ms    INTEGER,
    delay_factor    REAL,
    has_limit       INTEGER NOT NULL,
    limit_second    REAL,
    limit_minute    REAL,
    limit_hour      REAL,
    attached_at     INTEGER NOT NULL,
    metadata        TEXT NOT NULL,
    PRIMARY KEY (room_id, channel_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX bindings_open ON bindings (organization_id, channel_id, room_id) WHERE room_is_open = 1;

CREATE TABLE participants (
    room_id      TEXT NOT NULL,
    id           TEXT NOT NULL,
    display_name TEXT NOT NULL,
    role         INTEGER NOT NULL CHECK (role BETWEEN 1 AND 5),
    status       INTEGER NOT NULL CHECK (status BETWEEN 1 AND 4),
    identity_id  TEXT NOT NULL,
    external_id  TEXT NOT NULL,
    joined_at    INTEGER NOT NULL,
    metadata     TEXT NOT NULL,
    PRIMARY KEY (room_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX participants_active ON participants (id, room_id) WHERE status = 1;

CREATE TABLE inbound_routes (
    organization_id TEXT NOT NULL,
    channel_id      TEXT NOT NULL,
    sender          TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    PRIMARY KEY (organization_id, channel_id, sender)
) STRICT, WITHOUT ROWID;

CREATE INDEX inbound_routes_room ON inbound_routes (room_id);

-- `seq` is the order of commits over all rooms. Large values stand last: a filter on the others does not
-- read through them.
CREATE TABLE events (
    seq                 INTEGER PRIMARY KEY,
    id                  TEXT NOT NULL,
    room_id             TEXT NOT NULL,
    "index"             INTEGER NOT NULL,
    type                INTEGER NOT NULL CHECK (type BETWEEN 1 AND 14),
    status              INTEGER NOT NULL CHECK (status BETWEEN 1 AND 2),
    is_edited           INTEGER NOT NULL,
    is_deleted          INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    committed_by        TEXT NOT NULL,
    channel_id          TEXT NOT NULL,
    channel_type        TEXT NOT NULL,
    participant_id      TEXT NOT NULL,
    external_id         TEXT NOT NULL,
    provider_message_id TEXT NOT NULL,
    blocked_by          TEXT NOT NULL,
    block_reason        TEXT NOT NULL,
    visibility          TEXT NOT NULL,
    response_visibility TEXT,
    chain_depth         INTEGER NOT NULL,
    caused_by           TEXT NOT NULL,
    parent_id           TEXT NOT NULL,
    correlation_id      TEXT NOT NULL,
    idempotency_key     TEXT NOT NULL,
    request_hash        TEXT NOT NULL,
    plan_config         INTEGER NOT NULL,
    plan_cascade        TEXT NOT NULL,
    plan_budget         INTEGER NOT NULL,
    plan_trace_parent   TEXT NOT NULL,
    addressed_to        TEXT,
    metadata            TEXT NOT NULL,
    content             TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX events_id ON events (id);
CREATE UNIQUE INDEX idx_events_room_index ON events (room_id, "index");
CREATE UNIQUE INDEX events_key ON events (room_id, idempotency_key) WHERE idempotency_key <> '';
CREATE INDEX events_parent ON events (room_id, parent_id, "index") WHERE parent_id <> '';
CREATE INDEX events_correlation ON events (room_id, correlation_id, "index") WHERE correlation_id <> '';

-- The words of accepted events that are not deleted, and where they belong; rowid is `events.seq`.
CREATE VIRTUAL TABLE events_search USING fts5 (
    scope, words, content = '', columnsize = 0, detail = column, tokenize = 'ascii'
);

-- Indexes that were taken and hold nothing any more.
CREATE TABLE deleted_events (
    room_id    TEXT NOT NULL,
    "index"    INTEGER NOT NULL,
    event_id   TEXT NOT NULL,
    deleted_at INTEGER NOT NULL,
    PRIMARY KEY (room_id, "index")
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_events_id ON deleted_events (event_id);

CREATE TABLE deleted_keys (
    room_id      TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    deleted_at   INTEGER NOT NULL,
    PRIMARY KEY (room_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_keys_at ON deleted_keys (deleted_at);

-- `deleted_at` is set when the event was deleted for good.
CREATE TABLE inbound_keys (
    organization_id TEXT NOT NULL,
    channel_id      TEXT NOT NULL,
    key             TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    event_id        TEXT NOT NULL,
    request_hash    TEXT NOT NULL,
    deleted_at      INTEGER,
    PRIMARY KEY (organization_id, channel_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX inbound_keys_event ON inbound_keys (event_id);
CREATE INDEX inbound_keys_room ON inbound_keys (room_id);
CREATE INDEX inbound_keys_deleted ON inbound_keys (deleted_at) WHERE deleted_at IS NOT NULL;

-- Rows of one room lie together in the order of the timeline. States below 3 are not final.
CREATE TABLE deliveries (
    room_id             TEXT NOT NULL,
    "index"             INTEGER NOT NULL,
    id                  TEXT NOT NULL,
    event_id            TEXT NOT NULL,
    kind                INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3),
    channel_id          TEXT NOT NULL,
    address             TEXT NOT NULL,
    state               INTEGER NOT NULL CHECK (state BETWEEN 1 AND 6),
    attempts            INTEGER NOT NULL,
    is_bound            INTEGER NOT NULL,
    committed_by        TEXT NOT NULL,
    provider_message_id TEXT NOT NULL,
    error_code          TEXT NOT NULL,
    error_message       TEXT NOT NULL,
    is_retryable        INTEGER NOT NULL,
    PRIMARY KEY (room_id, "index", id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX deliveries_open ON deliveries (room_id, id) WHERE state < 3;
CREATE INDEX deliveries_owned ON deliveries (committed_by, room_id) WHERE state < 3;

CREATE TABLE delivery_skips (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id     TEXT NOT NULL,
    from_index  INTEGER NOT NULL,
    to_index    INTEGER NOT NULL,
    events      TEXT NOT NULL,
    owner       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    is_replayed INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX delivery_skips_room ON delivery_skips (room_id, id);

-- `is_head`: the oldest item of its address, the only one that may be taken.
CREATE TABLE outbound_queue (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id     TEXT NOT NULL,
    channel_id  TEXT NOT NULL,
    address     TEXT NOT NULL,
    event_id    TEXT NOT NULL,
    "index"     INTEGER NOT NULL,
    delivery_id TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    not_before  INTEGER NOT NULL,
    last_error  TEXT NOT NULL,
    is_head     INTEGER NOT NULL
) STRICT;

CREATE INDEX outbound_address ON outbound_queue (channel_id, address, id);
CREATE INDEX outbound_due ON outbound_queue (not_before) WHERE is_head = 1;
CREATE INDEX outbound_room ON outbound_queue (room_id, event_id);

CREATE TABLE hook_marks (
    hook_id   TEXT NOT NULL,
    event_key TEXT NOT NULL,
    runs      INTEGER NOT NULL,
    PRIMARY KEY (hook_id, event_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE read_markers (
    room_id     TEXT NOT NULL,
    thread      TEXT NOT NULL,
    reader      TEXT NOT NULL,
    event_index INTEGER NOT NULL,
    PRIMARY KEY (room_id, thread, reader)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
    room_id     TEXT NOT NULL,
    id          TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    assigned_to TEXT NOT NULL,
    status      INTEGER NOT NULL CHECK (status BETWEEN 1 AND 5),
    created_at  INTEGER NOT NULL,
    metadata    TEXT NOT NULL,
    PRIMARY KEY (room_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE observations (
    room_id    TEXT NOT NULL,
    id         TEXT NOT NULL,
    channel_id TEXT NOT NULL,
    content    TEXT NOT NULL,
    category   TEXT NOT NULL,
    confidence REAL NOT NULL,
    created_at INTEGER NOT NULL,
    metadata   TEXT NOT NULL,
    PRIMARY KEY (room_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE identities (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    display_name    TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    metadata        TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE identity_addresses (
    organization_id TEXT NOT NULL,
    channel_type    TEXT NOT NULL,
    address         TEXT NOT NULL,
    identity_id     TEXT NOT NULL,
    PRIMARY KEY (organization_id, channel_type, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE framework_events (
    sequence        INTEGER PRIMARY KEY AUTOINCREMENT,
    type            TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    event_id        TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    data            TEXT NOT NULL
) STRICT;

CREATE TABLE subscriptions (
    name     TEXT NOT NULL PRIMARY KEY,
    sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
    incarnation TEXT NOT NULL PRIMARY KEY,
    state       INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    host        TEXT NOT NULL,
    version     TEXT NOT NULL,
    format      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
