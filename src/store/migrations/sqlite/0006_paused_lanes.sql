-- SPDX-License-Identifier: Apache-2.0
-- Lanes that an operator stopped: docs/formats/sqlite-schema.md.

-- Since when no set of the room is started; NULL: its lane runs.
ALTER TABLE room_cursors ADD COLUMN paused_at INTEGER;

CREATE INDEX room_cursors_paused ON room_cursors (room_id) WHERE paused_at IS NOT NULL;
