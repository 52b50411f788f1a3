-- SPDX-License-Identifier: Apache-2.0
-- Workflows, their versions and executions, and notifications: docs/formats/sqlite-schema.md.

-- The draft of a workflow, and what became of it. `tasks` is an array of objects.
CREATE TABLE workflows (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    skill           TEXT NOT NULL,
    skill_commit    TEXT NOT NULL,
    agent           TEXT NOT NULL,
    tasks           TEXT NOT NULL,
    status          INTEGER NOT NULL CHECK (status BETWEEN 1 AND 5),
    error           TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    created_by      TEXT NOT NULL,
    published       INTEGER NOT NULL,
    revision        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX workflows_id ON workflows (id);
CREATE INDEX workflows_organization ON workflows (organization_id, number);
CREATE UNIQUE INDEX workflows_room ON workflows (room_id) WHERE room_id <> '';

-- A workflow as it was published. Rows never change.
CREATE TABLE workflow_versions (
    workflow_id     TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    number          INTEGER NOT NULL,
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    skill           TEXT NOT NULL,
    skill_commit    TEXT NOT NULL,
    agent           TEXT NOT NULL,
    tasks           TEXT NOT NULL,
    published_by    TEXT NOT NULL,
    published_at    INTEGER NOT NULL,
    PRIMARY KEY (workflow_id, number)
) STRICT;

CREATE INDEX workflow_versions_organization ON workflow_versions (organization_id);

-- A room in whose session the tasks of a workflow are worked through.
CREATE TABLE workflow_executions (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id         TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    workflow_id     TEXT NOT NULL,
    version         INTEGER NOT NULL,
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    skill           TEXT NOT NULL,
    skill_commit    TEXT NOT NULL,
    initiator       TEXT NOT NULL,
    status          INTEGER NOT NULL CHECK (status BETWEEN 1 AND 4),
    created_at      INTEGER NOT NULL,
    finished_at     INTEGER
) STRICT;

CREATE UNIQUE INDEX workflow_executions_room ON workflow_executions (room_id);
CREATE INDEX workflow_executions_organization ON workflow_executions (organization_id, number);
CREATE INDEX workflow_executions_workflow ON workflow_executions (workflow_id, number);
CREATE INDEX workflow_executions_status ON workflow_executions (organization_id, status, number);
CREATE INDEX workflow_executions_initiator ON workflow_executions (organization_id, initiator, number);

CREATE TABLE execution_tasks (
    room_id      TEXT NOT NULL,
    position     INTEGER NOT NULL,
    key          TEXT NOT NULL,
    title        TEXT NOT NULL,
    instructions TEXT NOT NULL,
    depends_on   TEXT NOT NULL,
    tools        TEXT NOT NULL,
    mocks        TEXT NOT NULL,
    status       INTEGER NOT NULL CHECK (status BETWEEN 1 AND 5),
    error_kind   INTEGER,
    error        TEXT NOT NULL,
    result       TEXT NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,
    PRIMARY KEY (room_id, position)
) STRICT;

CREATE UNIQUE INDEX execution_tasks_key ON execution_tasks (room_id, key);

-- Tool calls of executions, decided by policy.
CREATE TABLE tool_invocations (
    number           INTEGER PRIMARY KEY AUTOINCREMENT,
    room_id          TEXT NOT NULL,
    task             TEXT NOT NULL,
    tool             TEXT NOT NULL,
    decision         INTEGER NOT NULL CHECK (decision BETWEEN 1 AND 3),
    reason           TEXT NOT NULL,
    arguments_digest TEXT NOT NULL,
    at               INTEGER NOT NULL
) STRICT;

CREATE INDEX tool_invocations_room ON tool_invocations (room_id, number);

CREATE TABLE notifications (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    recipient       TEXT NOT NULL,
    kind            INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
    title           TEXT NOT NULL,
    body            TEXT NOT NULL,
    link            TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    read_at         INTEGER
) STRICT;

CREATE UNIQUE INDEX notifications_id ON notifications (id);
CREATE INDEX notifications_user ON notifications (organization_id, recipient, number);
CREATE INDEX notifications_unread ON notifications (organization_id, recipient, number) WHERE read_at IS NULL;
