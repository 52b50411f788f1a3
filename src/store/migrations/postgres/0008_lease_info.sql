-- SPDX-License-Identifier: Apache-2.0
-- Who holds which lease, for people: docs/formats/sqlite-schema.md. What counts are the advisory locks.

-- Unlogged: it is written often, and after a crash of the server nobody holds anything.
CREATE UNLOGGED TABLE lease_info (
    incarnation  text COLLATE "C" NOT NULL,
    key          bigint NOT NULL,
    name         text COLLATE "C" NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    organization text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    purpose      text COLLATE "C" NOT NULL,
    since        bigint NOT NULL,
    is_held      bigint NOT NULL CHECK (is_held IN (0, 1)),
    waiters      bigint NOT NULL,
    PRIMARY KEY (incarnation, key)
);
