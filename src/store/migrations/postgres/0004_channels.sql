-- SPDX-License-Identifier: Apache-2.0
-- Registered channels, receipts, subscriptions to framework events: docs/formats/sqlite-schema.md.

-- Secrets are sealed (docs/formats/secrets.md), here and below; an empty one is none.
CREATE TABLE channels (
    id                    text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id       text COLLATE "C" NOT NULL,
    version               bigint NOT NULL,
    type                  text COLLATE "C" NOT NULL,
    name                  text COLLATE "C" NOT NULL,
    url                   text COLLATE "C" NOT NULL,
    secret                text COLLATE "C" NOT NULL,
    previous_secret       text COLLATE "C" NOT NULL,
    previous_secret_until bigint NOT NULL,
    max_retries           bigint,
    base_delay_ms         bigint,
    max_delay_ms          bigint,
    delay_factor          double precision,
    has_limit             bigint NOT NULL,
    limit_second          double precision,
    limit_minute          double precision,
    limit_hour            double precision,
    attempt_deadline_ms   bigint NOT NULL,
    is_enabled            bigint NOT NULL,
    disabled_reason       text COLLATE "C" NOT NULL,
    metadata              text COLLATE "C" NOT NULL,
    created_at            bigint NOT NULL,
    updated_at            bigint NOT NULL
);

CREATE INDEX channels_organization ON channels (organization_id, id);

CREATE TABLE delivery_receipts (
    room_id       text COLLATE "C" NOT NULL,
    event_id      text COLLATE "C" NOT NULL,
    delivery_id   text COLLATE "C" NOT NULL,
    status        bigint NOT NULL CHECK (status BETWEEN 1 AND 3),
    error_code    text COLLATE "C" NOT NULL,
    error_message text COLLATE "C" NOT NULL,
    at            bigint NOT NULL,
    PRIMARY KEY (room_id, event_id, delivery_id)
);

-- `event_types`: a JSON array; empty means all.
CREATE TABLE webhook_subscriptions (
    id                    text COLLATE "C" NOT NULL PRIMARY KEY,
    organization_id       text COLLATE "C" NOT NULL,
    version               bigint NOT NULL,
    url                   text COLLATE "C" NOT NULL,
    secret                text COLLATE "C" NOT NULL,
    previous_secret       text COLLATE "C" NOT NULL,
    previous_secret_until bigint NOT NULL,
    event_types           text COLLATE "C" NOT NULL,
    is_enabled            bigint NOT NULL,
    disabled_reason       text COLLATE "C" NOT NULL,
    position              bigint NOT NULL,
    failing_since         bigint,
    last_error            text COLLATE "C" NOT NULL,
    created_at            bigint NOT NULL,
    updated_at            bigint NOT NULL
);

CREATE INDEX webhook_subscriptions_organization ON webhook_subscriptions (organization_id, id);

CREATE INDEX framework_events_organization ON framework_events (organization_id, sequence);
