-- SPDX-License-Identifier: Apache-2.0
-- Registered channels, receipts, subscriptions to framework events: docs/formats/sqlite-schema.md.

-- Secrets are sealed (docs/formats/secrets.md), here and below; an empty one is none.
CREATE TABLE channels (
    id                    TEXT NOT NULL PRIMARY KEY,
    organization_id       TEXT NOT NULL,
    version               INTEGER NOT NULL,
    type                  TEXT NOT NULL,
    name                  TEXT NOT NULL,
    url                   TEXT NOT NULL,
    secret                TEXT NOT NULL,
    previous_secret       TEXT NOT NULL,
    previous_secret_until INTEGER NOT NULL,
    max_retries           INTEGER,
    base_delay_ms         INTEGER,
    max_delay_ms          INTEGER,
    delay_factor          REAL,
    has_limit             INTEGER NOT NULL,
    limit_second          REAL,
    limit_minute          REAL,
    limit_hour            REAL,
    attempt_deadline_ms   INTEGER NOT NULL,
    is_enabled            INTEGER NOT NULL,
    disabled_reason       TEXT NOT NULL,
    metadata              TEXT NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX channels_organization ON channels (organization_id, id);

CREATE TABLE delivery_receipts (
    room_id       TEXT NOT NULL,
    event_id      TEXT NOT NULL,
    delivery_id   TEXT NOT NULL,
    status        INTEGER NOT NULL CHECK (status BETWEEN 1 AND 3),
    error_code    TEXT NOT NULL,
    error_message TEXT NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (room_id, event_id, delivery_id)
) STRICT, WITHOUT ROWID;

-- `event_types`: a JSON array; empty means all.
CREATE TABLE webhook_subscriptions (
    id                    TEXT NOT NULL PRIMARY KEY,
    organization_id       TEXT NOT NULL,
    version               INTEGER NOT NULL,
    url                   TEXT NOT NULL,
    secret                TEXT NOT NULL,
    previous_secret       TEXT NOT NULL,
    previous_secret_until INTEGER NOT NULL,
    event_types           TEXT NOT NULL,
    is_enabled            INTEGER NOT NULL,
    disabled_reason       TEXT NOT NULL,
    position              INTEGER NOT NULL,
    failing_since         INTEGER,
    last_error            TEXT NOT NULL,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_subscriptions_organization ON webhook_subscriptions (organization_id, id);

CREATE INDEX framework_events_organization ON framework_events (organization_id, sequence);
