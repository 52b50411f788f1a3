-- SPDX-License-Identifier: Apache-2.0
-- Agent sessions, their state, runs, frames, tool calls and turns: docs/formats/sqlite-schema.md.

-- A room that an agent drives. Its row is locked for the whole of an append, and no index holds what an append changes.
CREATE TABLE sessions (
    room_id         TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    agent           TEXT NOT NULL,
    owner           TEXT NOT NULL,
    status          INTEGER NOT NULL CHECK (status BETWEEN 1 AND 8),
    driver_epoch    INTEGER NOT NULL,
    sequence        INTEGER NOT NULL,
    state           TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    open_calls      TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE user_state (
    organization_id TEXT NOT NULL,
    owner           TEXT NOT NULL,
    state           TEXT NOT NULL,
    PRIMARY KEY (organization_id, owner)
) STRICT;

CREATE TABLE app_state (
    organization_id TEXT NOT NULL PRIMARY KEY,
    state           TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
    id                  TEXT NOT NULL PRIMARY KEY,
    room_id             TEXT NOT NULL,
    organization_id     TEXT NOT NULL,
    epoch               INTEGER NOT NULL,
    worker              TEXT NOT NULL,
    status              INTEGER NOT NULL CHECK (status BETWEEN 1 AND 5),
    started_by          TEXT NOT NULL,
    turn_id             TEXT NOT NULL,
    on_disconnect       INTEGER NOT NULL CHECK (on_disconnect BETWEEN 1 AND 3),
    is_cancel_requested INTEGER NOT NULL,
    finish_reason       TEXT NOT NULL,
    error_code          TEXT NOT NULL,
    next_frame          INTEGER NOT NULL,
    is_stream_over      INTEGER NOT NULL,
    is_pruned           INTEGER NOT NULL,
    started_at          INTEGER NOT NULL,
    ended_at            INTEGER
) STRICT;

CREATE INDEX runs_room ON runs (room_id, epoch);
CREATE INDEX runs_ended ON runs (ended_at, id) WHERE is_pruned = 0 AND ended_at IS NOT NULL;

CREATE TABLE run_frames (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    data   TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
) STRICT;

CREATE TABLE tool_intents (
    number           INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id          TEXT NOT NULL,
    run_id           TEXT NOT NULL,
    call_id          TEXT NOT NULL,
    tool             TEXT NOT NULL,
    arguments_digest TEXT NOT NULL,
    epoch            INTEGER NOT NULL,
    state            INTEGER NOT NULL CHECK (state BETWEEN 1 AND 4),
    started_at       INTEGER NOT NULL,
    ended_at         INTEGER
) STRICT;

CREATE UNIQUE INDEX tool_intents_call ON tool_intents (run_id, call_id);
CREATE INDEX tool_intents_room ON tool_intents (room_id, number);
CREATE INDEX tool_intents_started ON tool_intents (room_id, number) WHERE state = 1;

-- Whether a turn may be run is asked often, of all organisations: what waits and what runs lies in partial indexes.
CREATE TABLE turns (
    number            INTEGER PRIMARY KEY AUTOINCREMENT,
    id                TEXT NOT NULL,
    room_id           TEXT NOT NULL,
    organization_id   TEXT NOT NULL,
    kind              INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
    input             TEXT NOT NULL,
    acting_for        TEXT NOT NULL,
    status            INTEGER NOT NULL CHECK (status BETWEEN 1 AND 5),
    attempts          INTEGER NOT NULL,
    epoch             INTEGER NOT NULL,
    worker            TEXT NOT NULL,
    run_id            TEXT NOT NULL,
    is_input_consumed INTEGER NOT NULL,
    not_before        INTEGER NOT NULL,
    last_error        TEXT NOT NULL,
    queued_at         INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX turns_id ON turns (id);
CREATE INDEX turns_room ON turns (room_id, number);
CREATE INDEX turns_organization ON turns (organization_id, number);
CREATE INDEX turns_status ON turns (organization_id, status, number);
CREATE INDEX turns_due ON turns (organization_id, not_before, number) WHERE status = 1;
CREATE INDEX turns_waiting ON turns (room_id, not_before, number) WHERE status = 1;
CREATE INDEX turns_next ON turns (not_before) WHERE status = 1;
CREATE UNIQUE INDEX turns_running ON turns (room_id) WHERE status = 2;
