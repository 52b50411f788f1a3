-- SPDX-License-Identifier: Apache-2.0
-- Attachments, how long things are kept, and organisations that are being erased: docs/formats/sqlite-schema.md.

-- `expires_at`: when the row is to be looked at by whoever erases; NULL while a message names the attachment.
-- `uploader`: the worker that takes, or took, the upload in.
CREATE TABLE attachments (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    filename        TEXT NOT NULL,
    media_type      TEXT NOT NULL,
    size_bytes      INTEGER NOT NULL,
    sha256          TEXT NOT NULL,
    uploaded_by     TEXT NOT NULL,
    link_key        TEXT NOT NULL,
    uploader        TEXT NOT NULL,
    state           INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX attachments_room ON attachments (room_id, id);
CREATE INDEX attachments_age ON attachments (room_id, created_at, id) WHERE state = 2;
CREATE INDEX attachments_expiry ON attachments (expires_at, id) WHERE expires_at IS NOT NULL;

CREATE TABLE attachment_chunks (
    attachment_id TEXT NOT NULL,
    number        INTEGER NOT NULL,
    bytes         BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX attachment_chunks_place ON attachment_chunks (attachment_id, number);

-- Which event names which attachment.
CREATE TABLE attachment_uses (
    attachment_id TEXT NOT NULL,
    event_id      TEXT NOT NULL,
    room_id       TEXT NOT NULL,
    PRIMARY KEY (attachment_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX attachment_uses_event ON attachment_uses (event_id);
CREATE INDEX attachment_uses_room ON attachment_uses (room_id);

-- Bytes of attachments that are not removed. The empty room: of the whole organisation.
CREATE TABLE attachment_usage (
    organization_id TEXT NOT NULL,
    room_id         TEXT NOT NULL,
    bytes           INTEGER NOT NULL,
    PRIMARY KEY (organization_id, room_id)
) STRICT, WITHOUT ROWID;

-- NULL: for ever. The empty room: the organisation's own.
CREATE TABLE retention_policies (
    organization_id               TEXT NOT NULL,
    room_id                       TEXT NOT NULL,
    events_max_age_days           INTEGER,
    attachments_max_age_days      INTEGER,
    room_delete_after_closed_days INTEGER,
    PRIMARY KEY (organization_id, room_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasures (
    sequence        INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id TEXT NOT NULL,
    requested_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX erasures_organization ON erasures (organization_id);

-- What an erasure looks for.
CREATE INDEX identities_organization ON identities (organization_id);
