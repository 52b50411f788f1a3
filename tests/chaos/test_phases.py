#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A driver is killed in each phase of a run: while it is about to store the question, in a call, in its text, at its end.
# The database holds it up at that very place, so that it is hit there and nowhere else.

import subprocess

import session_invariants
from cluster_case import PATIENCE, main
from session_case import SessionCase
from session_invariants import Witness

# What is held up: a table, the statement on it, and the row that is meant.
PHASES = {
    "question": ("events", "INSERT", "NEW.idempotency_key LIKE 'agui:%'"),
    "call": ("tool_intents", "UPDATE", "NEW.state <> 1"),
    "effect": ("events", "INSERT", "NEW.type = 7"),
    "text": ("run_frames", "INSERT", "NEW.data LIKE '%TEXT_MESSAGE_CONTENT%'"),
    "answer": ("events", "INSERT", "NEW.type = 1 AND NEW.channel_type = 'agent'"),
    "settle": ("runs", "UPDATE", "NEW.status <> 1 AND OLD.status = 1"),
}


class Gate:
    """Whoever comes to the place waits until it is opened."""

    def __init__(self, database, place: str):
        table, verb, rows = PHASES[place]
        self.database = database
        database.ask(
            "CREATE TABLE gate (place text); INSERT INTO gate VALUES ('closed');"
            "CREATE FUNCTION pass_gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
            " PERFORM 1 FROM gate FOR SHARE; RETURN NEW; END $$;"
            f"CREATE TRIGGER pass_gate BEFORE {verb} ON {table} FOR EACH ROW WHEN ({rows}) EXECUTE FUNCTION pass_gate()"
        )
        self.keeper = subprocess.Popen(
            database.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.keeper.stdin.write("BEGIN; LOCK TABLE gate IN ACCESS EXCLUSIVE MODE;\n\\echo closed\n")
        self.keeper.stdin.flush()
        while self.keeper.stdout.readline().strip() != "closed":
            if self.keeper.poll() is not None:
                raise AssertionError("the gate was not closed")

    def somebody_waits(self) -> bool:
        return self.database.number(
            "SELECT count(*) FROM pg_locks WHERE relation = 'gate'::regclass AND NOT granted"
        ) > 0

    def open(self):
        if self.keeper.poll() is None:
            self.keeper.stdin.close()
            self.keeper.wait(PATIENCE)
            self.keeper.stdout.close()


class Phases(SessionCase):
    tools = ("add_task",)
    script = """otherwise
    think I note it.
    call add_task {"title": "$user"}
    say It is noted as $user.
"""

    # Another worker brings the turn to its end, in the same stream: the question is there once, what was shown is what is
    # stored, no call is left open, and its effect is there if the room says that the call was made.
    # Proves: A7, A9, L10, N3
    def kill_in(self, place: str):
        witness = Witness(self.database)
        room = self.make_session("talk")
        gate = Gate(self.database, place)
        self.addCleanup(gate.open)
        stream = self.start_run(self.first, room, "call Ann")
        self.assertEqual(stream.status, 200)
        self.until(gate.somebody_waits, f"nobody comes to the {place}")
        self.first.kill()
        gate.open()
        self.expected_dead.add(self.first.incarnation)
        run = self.database.value("SELECT id FROM runs")
        frames = list(self.read_run(self.second, room, run=run).frames())
        self.assert_whole(frames, self.second, room)
        self.until_turns_end()
        self.assertEqual(self.texts(self.second, room)[0], "call Ann")
        self.assertEqual(
            session_invariants.all_of(self.database)
            + session_invariants.effects(self.database)
            + witness.stragglers(),
            [],
        )
        attempts = self.database.number("SELECT max(attempts) FROM turns")
        self.note(f"killed at the {place}: {len(frames)} frames, {attempts} attempts")
        self.assert_nobody_died()

    def test_before_the_question_is_stored(self):
        self.kill_in("question")

    def test_in_a_call(self):
        self.kill_in("call")

    def test_before_the_effect_of_a_call_is_stored(self):
        self.kill_in("effect")

    def test_in_a_text(self):
        self.kill_in("text")

    def test_before_the_answer_is_stored(self):
        self.kill_in("answer")

    def test_in_the_end(self):
        self.kill_in("settle")


if __name__ == "__main__":
    main()
