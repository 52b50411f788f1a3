#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Turns that nobody's request drives: how many a worker runs at once, and whose.

import session_invariants
from cluster_case import PATIENCE, main, message
from session_case import SessionCase
from session_invariants import Witness
from served_case import Client

AT_ONCE = 4
TURNS, OF_THE_OTHER = 50, 10
STARTED = 2  # a turn's status while it runs


class Turns(SessionCase):
    pace = "1ms"
    settings = {"SESSION_RUNNER_CONCURRENCY": str(AT_ONCE)}
    script = """otherwise
    wait 300ms
    say Done.
"""

    def make_admin_elsewhere(self):
        """Asks as the admin of an organisation of its own."""
        wanted = {"name": "Other", "admin_email": "eve@example.com", "admin_name": "Eve"}
        made = self.ask(self.first, "POST", "organizations", wanted, 201)
        client = Client(self.first.port, "none")
        self.addCleanup(client.close)
        entry = {"link_token": made["link"].split("#link=")[1], "password": "a long password"}
        status, answer, me = client.ask("POST", "/api/v1/auth/password", entry)
        self.assertEqual(status, 200, me)
        headers = {"Cookie": answer["set-cookie"].split(";")[0], "X-CSRF-Token": me["csrf_token"], "Authorization": ""}

        def ask(method: str, path: str, body, expect: int = 200):
            status, _, answer = client.ask(method, f"/api/v1/{path}", body, headers)
            self.assertEqual(status, expect, answer)
            return answer

        return ask

    # Fifty sessions of one organisation have a turn to run, and then ten of another one: no worker runs more than four at
    # once, all of them end, and those of the other organisation do not wait until the first one's are done.
    # Proves: N1, N2, N5
    def test_so_many_at_once_and_in_turn(self):
        witness = Witness(self.database)
        rooms = [self.make_session(f"busy-{number}") for number in range(TURNS)]
        eve = self.make_admin_elsewhere()
        settings = {"provider": "scripted", "instructions": f"model-script 1\n{self.script}"}
        agent = eve("POST", "channels", {"type": "agent", "name": "Hers", "agent": settings}, 201)["channel"]["id"]
        others = []
        for _ in range(OF_THE_OTHER):
            body = {"channels": [{"channel_id": "web"}, {"channel_id": agent}]}
            others.append(eve("POST", "rooms", body, 201)["id"])
            eve("PUT", f"rooms/{others[-1]}/session", {"agent": agent})
        for room in rooms:
            self.ask(self.first, "POST", f"rooms/{room}/events?wait=committed", message("go"), 201)
        for room in others:
            eve("POST", f"rooms/{room}/events?wait=committed", message("go"), 201)
        self.until(
            lambda: self.database.number("SELECT count(*) FROM turns WHERE status = 3") == TURNS + OF_THE_OTHER,
            "not all turns end", 4 * PATIENCE, pause=0.1,
        )
        running, most, order = {}, {}, []
        for worker, room, status in witness.turns():
            running[worker] = running.get(worker, 0) + (1 if status == STARTED else -1)
            most[worker] = max(most.get(worker, 0), running[worker])
            if status == STARTED:
                order.append(room)
        self.note(f"at once, by worker: {sorted(most.values())}")
        self.assertEqual(set(most), {self.first.incarnation, self.second.incarnation})
        self.assertLessEqual(max(most.values()), AT_ONCE)
        self.assertEqual(sorted(order), sorted(rooms + others))
        last_of_the_other = max(order.index(room) for room in others)
        left = [room for room in order[last_of_the_other:] if room in rooms]
        self.note(f"{len(left)} of {TURNS} are started after the other organisation's last")
        self.assertGreater(len(left), 0)
        self.assertEqual(session_invariants.all_of(self.database) + witness.stragglers(), [])


if __name__ == "__main__":
    main()
