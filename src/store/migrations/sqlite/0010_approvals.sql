-- SPDX-License-Identifier: Apache-2.0
-- What agents ask people before they go on: docs/formats/sqlite-schema.md.

-- Of a session none is open while it is driven. What is open lies in partial indexes.
CREATE TABLE approvals (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    run_id          TEXT NOT NULL,
    call_id         TEXT NOT NULL,
    kind            INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 2),
    title           TEXT NOT NULL,
    description     TEXT NOT NULL,
    grants          TEXT NOT NULL,
    response_schema TEXT,
    deciders        TEXT NOT NULL,
    state           INTEGER NOT NULL CHECK (state BETWEEN 1 AND 6),
    decided_by      TEXT NOT NULL,
    response        TEXT NOT NULL,
    decided_at      INTEGER,
    expires_at      INTEGER NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX approvals_organization ON approvals (organization_id, id);
CREATE INDEX approvals_state ON approvals (organization_id, state, id);
CREATE INDEX approvals_room ON approvals (room_id, id);
CREATE INDEX approvals_call ON approvals (room_id, call_id, id);
CREATE INDEX approvals_open ON approvals (room_id, id) WHERE state = 1;
CREATE INDEX approvals_due ON approvals (expires_at) WHERE state = 1;
