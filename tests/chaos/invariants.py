# SPDX-License-Identifier: Apache-2.0
# What holds when a cluster has come to rest, whatever was done to it: found out by SQL and by what receivers got.
"""Each function answers what is wrong, in words; an empty list is good."""

from database import ADVISORY, Database

SHOWN = 5


def some(found: list, what: str) -> list[str]:
    return [f"{what} ({len(found)}): {found[:SHOWN]}"] if found else []


def dense(database: Database) -> list[str]:
    """Indexes of a room are 0..n-1 without hole or double, and its counters say so."""
    wrong = database.ask(
        "SELECT r.id, r.next_index, r.event_count, r.latest_index, e.n, e.low, e.high, e.different"
        " FROM rooms r LEFT JOIN LATERAL (SELECT count(*) AS n, min(i.\"index\") AS low, max(i.\"index\") AS high,"
        " count(DISTINCT i.\"index\") AS different FROM events i WHERE i.room_id = r.id) e ON true"
        " WHERE r.next_index <> e.n OR r.event_count <> e.n OR r.latest_index <> e.n - 1 OR e.different <> e.n"
        " OR (e.n > 0 AND (e.low <> 0 OR e.high <> e.n - 1))"
    )
    return some(wrong, "rooms whose indexes or counters are wrong")


def stored_once(database: Database, acknowledged: dict) -> list[str]:
    """What was acknowledged under a key is there once, at the index that was told."""
    stored, doubles = {}, []
    for room, key, index in database.ask(
        "SELECT room_id, idempotency_key, \"index\" FROM events WHERE idempotency_key <> ''"
    ):
        if (room, key) in stored:
            doubles.append((room, key))
        stored[room, key] = int(index)
    told = {(room, key): index for room, keys in acknowledged.items() for key, index in keys.items()}
    lost = [key for key in told if key not in stored]
    moved = [(key, index, stored[key]) for key, index in told.items() if key in stored and stored[key] != index]
    return (
        some(doubles, "keys that are there twice")
        + some(lost, "acknowledged and lost")
        + some(moved, "acknowledged at one index and stored at another")
    )


def behind(database: Database) -> list[list[str]]:
    """Rooms whose cursor does not stand at their end, with what is open in front of it."""
    return database.ask(
        "SELECT r.id, r.latest_index, coalesce(c.delivered_index, -1), c.claimer, c.waits_for,"
        " (SELECT string_agg(d.state::text || ' of ' || d.committed_by, ',') FROM deliveries d"
        "  WHERE d.room_id = r.id AND d.\"index\" = c.delivered_index + 1)"
        " FROM rooms r LEFT JOIN room_cursors c ON c.room_id = r.id"
        " WHERE r.latest_index <> coalesce(c.delivered_index, -1)"
    )


def lag(database: Database) -> int:
    """How many deliveries are left, in front of cursors and in the outbound queue."""
    return database.number(
        "SELECT (SELECT coalesce(sum(r.latest_index - coalesce(c.delivered_index, -1)), 0) FROM rooms r"
        " LEFT JOIN room_cursors c ON c.room_id = r.id) + (SELECT count(*) FROM outbound_queue)"
    )


def unfinished(database: Database) -> list[list[str]]:
    """Deliveries that are not final, or wait in the outbound queue."""
    return database.ask(
        "SELECT d.room_id, d.\"index\", d.kind, d.state, d.committed_by FROM deliveries d WHERE d.state < 3"
        " UNION ALL SELECT q.room_id, q.\"index\", 0, 0, q.last_error FROM outbound_queue q LIMIT 20"
    )


def deliveries_failed(database: Database) -> list[str]:
    """Nothing failed, and what was put off has been delivered since or waits in the queue."""
    wrong = database.ask(
        "SELECT d.room_id, d.\"index\", d.state, d.error_code, d.error_message FROM deliveries d"
        " WHERE d.state IN (4, 6) OR (d.state = 5 AND NOT EXISTS"
        " (SELECT 1 FROM outbound_queue q WHERE q.delivery_id = d.id))"
    )
    return some(wrong, "deliveries that failed, were skipped, or were put off for ever")


def skips(database: Database) -> list[str]:
    return some(database.ask("SELECT room_id, from_index, to_index, owner, reason FROM delivery_skips"), "skips")


def received(database: Database, log, bound: dict) -> list[str]:
    """Each receiver got every event of its room at least once, first receipts in order, under one id each."""
    ends = {room: int(latest) for room, latest in database.ask("SELECT id, latest_index FROM rooms")}
    wrong = []
    for room in bound:
        got, expected = log.received(room), list(range(ends[room] + 1))
        if got != expected:
            missing = sorted(set(expected) - set(got))
            first = next((i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), None)
            around = [] if first is None else got[max(0, first - 2) : first + 5]
            wrong.append(f"{room}: {len(got)} of {len(expected)}, missing {missing[:SHOWN]}, out of order at {around}")
    ids = [key for key, seen in log.deliveries.items() if len(seen) != 1]
    return some(wrong, "rooms whose receiver missed something") + some(ids, "events delivered under several ids")


def locks(database: Database) -> list[str]:
    """Nobody dead holds a lock, and nobody holds one that another one holds as well."""
    twice = database.ask(
        f"SELECT key, count(*) FROM ({ADVISORY}) held WHERE granted AND mode = 'ExclusiveLock'"
        " GROUP BY key HAVING count(*) > 1"
    )
    dead = database.ask(
        f"SELECT held.key, held.application_name FROM ({ADVISORY}) held JOIN workers w"
        " ON held.application_name = 'convene ' || w.incarnation WHERE w.state = 3"
    )
    return some(twice, "locks that two hold") + some(dead, "locks that a dead worker holds")


def claims(database: Database) -> list[str]:
    """No cursor waits for somebody who is dead."""
    return some(
        database.ask(
            "SELECT c.room_id, c.waits_for FROM room_cursors c JOIN workers w ON w.incarnation = c.waits_for"
            " WHERE w.state = 3"
        ),
        "cursors that wait for a dead worker",
    )
