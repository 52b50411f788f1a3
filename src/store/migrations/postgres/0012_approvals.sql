-- SPDX-License-Identifier: Apache-2.0
-- What agents ask people before they go on: docs/formats/sqlite-schema.md.

-- Of a session none is open while it is driven. What is open lies in partial indexes.
CREATE TABLE approvals (
    id              text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL,
    room_id         text COLLATE "C" NOT NULL,
    run_id          text COLLATE "C" NOT NULL,
    call_id         text COLLATE "C" NOT NULL,
    kind            bigint NOT NULL CHECK (kind BETWEEN 1 AND 2),
    title           text COLLATE "C" NOT NULL,
    description     text COLLATE "C" NOT NULL,
    grants          text COLLATE "C" NOT NULL,
    response_schema text COLLATE "C",
    deciders        text COLLATE "C" NOT NULL,
    state           bigint NOT NULL CHECK (state BETWEEN 1 AND 6),
    decided_by      text COLLATE "C" NOT NULL,
    response        text COLLATE "C" NOT NULL,
    decided_at      bigint,
    expires_at      bigint NOT NULL,
    created_at      bigint NOT NULL
);

CREATE INDEX approvals_organization ON approvals (organization_id, id);
CREATE INDEX approvals_state ON approvals (organization_id, state, id);
CREATE INDEX approvals_room ON approvals (room_id, id);
CREATE INDEX approvals_call ON approvals (room_id, call_id, id);
CREATE INDEX approvals_open ON approvals (room_id, id) WHERE state = 1;
CREATE INDEX approvals_due ON approvals (expires_at) WHERE state = 1;
