# SPDX-License-Identifier: Apache-2.0
# What holds of agent sessions when a cluster has come to rest, and a witness of who wrote what, in which order.
"""Each function answers what is wrong, in words; an empty list is good."""

import json
from collections import Counter

from database import Database
from invariants import some

ENDS = ("RUN_FINISHED", "RUN_ERROR")
GROUPS = {"TEXT_MESSAGE_START": "TEXT_MESSAGE_END", "TOOL_CALL_START": "TOOL_CALL_RESULT"}
AGENT = "channel_type = 'agent'"


def at_rest(database: Database) -> list[str]:
    """No session is stuck, and nothing was set aside."""
    return (
        some(database.ask("SELECT room_id, status FROM turns WHERE status <> 3"), "turns that are not done")
        + some(database.ask("SELECT room_id, status FROM sessions WHERE status <> 1"), "sessions that are not idle")
        + some(database.ask("SELECT id FROM runs WHERE is_stream_over = 0 OR status = 1"), "runs without an end")
        + some(database.ask("SELECT run_id FROM tool_intents WHERE state = 1"), "calls without an end")
    )


def epochs(database: Database) -> list[str]:
    """Each driver of a session has an epoch of its own, and the session's is the last."""
    return some(
        database.ask("SELECT room_id, epoch FROM runs GROUP BY room_id, epoch HAVING count(*) > 1"), "shared epochs"
    ) + some(
        database.ask(
            "SELECT s.room_id FROM sessions s WHERE s.driver_epoch <"
            " (SELECT max(epoch) FROM runs r WHERE r.room_id = s.room_id)"
        ),
        "sessions behind their runs",
    )


def frames_by_run(database: Database) -> dict[str, list[tuple[int, dict]]]:
    frames = {}
    for run, number, data in database.ask("SELECT run_id, number, data FROM run_frames ORDER BY run_id, number"):
        frames.setdefault(run, []).append((int(number), json.loads(data)))
    return frames


def streams(database: Database) -> list[str]:
    """Each stream is whole: no gap, one start, one end and nothing behind it, every group and call closed once."""
    wrong = []
    for run, frames in frames_by_run(database).items():
        kinds = Counter(event["type"] for _, event in frames)
        is_whole = (
            [number for number, _ in frames] == list(range(len(frames)))
            and frames[0][1]["type"] == "RUN_STARTED"
            and frames[-1][1]["type"] in ENDS
            and kinds["RUN_STARTED"] == sum(kinds[end] for end in ENDS) == 1
            and all(kinds[begin] == kinds[end] for begin, end in GROUPS.items())
        )
        if not is_whole:
            wrong.append((run, [(number, event["type"]) for number, event in frames]))
    return some(wrong, "streams that are not whole")


def told_is_stored(database: Database) -> list[str]:
    """What readers put together is what is stored, under the same ids, message by message."""
    told = Counter()
    texts = {}
    for frames in frames_by_run(database).values():
        for _, event in frames:
            if event["type"] == "TEXT_MESSAGE_CONTENT":
                texts[event["messageId"]] = texts.get(event["messageId"], "") + event["delta"]
            elif event["type"] == "TOOL_CALL_RESULT":
                told[event["toolCallId"]] += 1
    stored = {
        name: json.loads(content)["body"]
        for name, content in database.ask(f"SELECT id, content FROM events WHERE {AGENT} AND type = 1")
    }
    differing = [(name, text, texts.get(name)) for name, text in stored.items() if texts.get(name) != text]
    untold = [(name, text) for name, text in texts.items() if name not in stored]
    return (
        some(differing, "stored otherwise than told")
        + some(untold, "told and not stored")
        + some([call for call, count in told.items() if count != 1], "calls with several results")
    )


def effects(database: Database) -> list[str]:
    """`add_task` was called once for each message; its task is there once if the room says that it was made, else not."""
    asked = Counter(
        json.loads(content)["body"]
        for (content,) in database.ask(f"SELECT content FROM events WHERE NOT ({AGENT}) AND type = 1")
    )
    tasks = Counter(title for (title,) in database.ask("SELECT title FROM tasks"))
    made, called = Counter(), Counter()
    for (content,) in database.ask(f"SELECT content FROM events WHERE {AGENT} AND type = 7"):
        call = json.loads(content)
        if call["tool_name"] == "add_task" and "title" in call["arguments"]:
            called[call["arguments"]["title"]] += 1
            made[call["arguments"]["title"]] += call["status"] == "completed"
    return (
        some([text for text, count in asked.items() if count != 1], "messages that are there twice")
        + some([(text, called[text]) for text in asked if called[text] != 1], "messages whose call is not there once")
        + some([(text, tasks[text], made[text]) for text in asked if tasks[text] != made[text]], "effects")
    )


def all_of(database: Database) -> list[str]:
    return at_rest(database) + epochs(database) + streams(database) + told_is_stored(database)


class Witness:
    """Notes every frame and event that is stored, and every turn that begins or ends, in the order of their storing."""

    def __init__(self, database: Database):
        self.database = database
        database.ask(
            "CREATE TABLE witness (n bigserial, what text, room text, run text, writer text, driver text, status bigint,"
            " said text);"
            "CREATE FUNCTION witness_frame() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
            " INSERT INTO witness (what, room, run, writer, driver, said) SELECT 'frame', r.room_id, r.id,"
            " current_setting('application_name'), 'convene ' || d.worker, left(NEW.data, 100) FROM runs r"
            " JOIN sessions s ON s.room_id = r.room_id JOIN runs d ON d.id = s.run_id WHERE r.id = NEW.run_id;"
            " RETURN NULL; END $$;"
            "CREATE TRIGGER witness_frame AFTER INSERT ON run_frames FOR EACH ROW EXECUTE FUNCTION witness_frame();"
            "CREATE FUNCTION witness_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
            " INSERT INTO witness (what, room, run, writer) VALUES ('event', NEW.room_id, NEW.correlation_id,"
            " current_setting('application_name')); RETURN NULL; END $$;"
            "CREATE TRIGGER witness_event AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION witness_event();"
            "CREATE FUNCTION witness_turn() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
            " INSERT INTO witness (what, room, run, writer, status) VALUES ('turn', NEW.room_id, NEW.id, NEW.worker,"
            " NEW.status); RETURN NULL; END $$;"
            "CREATE TRIGGER witness_turn AFTER UPDATE ON turns FOR EACH ROW WHEN (OLD.status <> NEW.status)"
            " EXECUTE FUNCTION witness_turn();"
        )

    def stragglers(self) -> list[str]:
        """What a run wrote after the next one's first, and what a worker wrote of a session that another one drives."""
        late = self.database.ask(
            "SELECT room, run, what, n FROM (SELECT w.*, r.epoch AS own, max(r.epoch) OVER"
            " (PARTITION BY w.room ORDER BY w.n) AS latest FROM witness w JOIN runs r ON r.id = w.run"
            " WHERE w.what IN ('frame', 'event')) seen WHERE own < latest"
        )
        others = self.database.ask(
            "SELECT room, run, n, writer, driver FROM witness WHERE what = 'frame' AND writer <> driver"
        )
        if late:
            around = self.database.ask(
                "SELECT w.n, w.what, w.run, r.epoch, w.writer, w.driver, w.status, w.said FROM witness w"
                f" LEFT JOIN runs r ON r.id = w.run WHERE w.room = '{late[0][0]}' AND"
                f" w.n BETWEEN {int(late[0][3]) - 2000} AND {int(late[0][3]) + 1000} ORDER BY w.n"
            )
            for row in around:
                print(row)
        return some(late, "written by a run after the next one's first") + some(others, "frames of a former driver")

    def written_by(self, incarnation: str, room: str) -> int:
        return self.database.number(
            f"SELECT count(*) FROM witness WHERE writer = 'convene {incarnation}' AND room = '{room}'"
        )

    def turns(self) -> list[tuple[str, str, int]]:
        """(worker, room, status) of each turn that changed, in order."""
        rows = self.database.ask("SELECT writer, room, status FROM witness WHERE what = 'turn' ORDER BY n")
        return [(worker, room, int(status)) for worker, room, status in rows]
