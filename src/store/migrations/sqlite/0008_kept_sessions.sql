-- SPDX-License-Identifier: Apache-2.0
-- How long what sessions leave is kept, and in which format it is: docs/formats/sqlite-schema.md.

-- What the release before this one writes is of format 1.
ALTER TABLE runs ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE turns ADD COLUMN format INTEGER NOT NULL DEFAULT 1;

CREATE INDEX runs_pruned ON runs (ended_at, id) WHERE is_pruned = 1;
CREATE INDEX turns_quarantined ON turns (number) WHERE status = 5;
