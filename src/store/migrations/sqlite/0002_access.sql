-- SPDX-License-Identifier: Apache-2.0
-- Who may use a deployment, the audit trail, and answers to repeated requests: docs/formats/sqlite-schema.md.

CREATE TABLE organizations (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `email_key`: the email with ASCII letters in lower case.
CREATE TABLE users (
    id              TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    email           TEXT NOT NULL,
    email_key       TEXT NOT NULL,
    display_name    TEXT NOT NULL,
    role            INTEGER NOT NULL CHECK (role BETWEEN 1 AND 3),
    is_active       INTEGER NOT NULL,
    password_hash   TEXT NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX users_email ON users (email_key);
CREATE INDEX users_organization ON users (organization_id, id);

-- Secrets are kept as SHA-256 in hexadecimal, here and below.
CREATE TABLE api_tokens (
    hash            TEXT NOT NULL PRIMARY KEY,
    id              TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    name            TEXT NOT NULL,
    role            INTEGER NOT NULL CHECK (role BETWEEN 1 AND 3),
    created_by      TEXT NOT NULL,
    expires_at      INTEGER,
    created_at      INTEGER NOT NULL,
    last_used_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX api_tokens_id ON api_tokens (id);
CREATE INDEX api_tokens_organization ON api_tokens (organization_id, id);
CREATE INDEX api_tokens_maker ON api_tokens (created_by) WHERE created_by <> '';

CREATE TABLE auth_sessions (
    hash            TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX auth_sessions_user ON auth_sessions (user_id);
CREATE INDEX auth_sessions_expiry ON auth_sessions (expires_at);

CREATE TABLE one_time_links (
    hash            TEXT NOT NULL PRIMARY KEY,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    kind            INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3),
    expires_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX one_time_links_user ON one_time_links (user_id);
CREATE INDEX one_time_links_expiry ON one_time_links (expires_at);

CREATE TABLE audit_log (
    sequence        INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id TEXT NOT NULL,
    actor           TEXT NOT NULL,
    action          TEXT NOT NULL,
    target          TEXT NOT NULL,
    peer            TEXT NOT NULL,
    at              INTEGER NOT NULL,
    details         TEXT NOT NULL
) STRICT;

CREATE INDEX audit_log_organization ON audit_log (organization_id, sequence);

-- `status` is NULL while the request runs.
CREATE TABLE request_answers (
    organization_id TEXT NOT NULL,
    route           TEXT NOT NULL,
    key             TEXT NOT NULL,
    request_hash    TEXT NOT NULL,
    attempt         INTEGER NOT NULL,
    started_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    status          INTEGER,
    body            TEXT NOT NULL,
    PRIMARY KEY (organization_id, route, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX request_answers_expiry ON request_answers (expires_at);
