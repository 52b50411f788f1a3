#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Writers and readers of one room, while the server is killed -9 and comes back under them.

import http.client
import json
import os
import random
import threading
import time

from served_case import PATIENCE, TOKEN, Client, ServedCase, main, message

WRITERS = 64
READERS = 20
MESSAGES = int(os.environ.get("CONVENE_TEST_MESSAGES", "4000"))
KILLS = 5
END = 20 * PATIENCE  # of the whole test: a hang fails instead of blocking the run


class Reader(threading.Thread):
    """Follows the room over SSE, from the beginning, and goes on where it was after each break."""

    def __init__(self, case, room: str, until: int):
        super().__init__(daemon=True)
        self.case, self.room, self.until = case, room, until
        self.indexes, self.last, self.breaks, self.wrong = [], "-1", 0, None

    def run(self):
        end = time.monotonic() + END
        while time.monotonic() < end and self.last != str(self.until):
            try:
                self.follow()
            except (OSError, http.client.HTTPException):
                self.breaks += 1
                time.sleep(0.05)  # between tries: nobody listens until the server is back

    def follow(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.case.port, timeout=PATIENCE)
        try:
            headers = {"Authorization": f"Bearer {TOKEN}", "Last-Event-ID": self.last}
            connection.request("GET", f"/api/v1/rooms/{self.room}/stream", headers=headers)
            answer = connection.getresponse()
            if answer.status != 200:
                raise http.client.HTTPException(str(answer.status))
            name = ""
            while self.last != str(self.until):
                line = answer.readline().decode()
                if not line:
                    raise http.client.IncompleteRead(b"")
                key, _, value = line.rstrip("\n").partition(": ")
                if key == "event":
                    name = value
                elif key == "data" and name == "message":
                    self.indexes.append(json.loads(value)["index"])
                    self.last = str(self.indexes[-1])
                elif key == "data" and name in ("resync", "erased"):
                    self.wrong = f"{name}: {value}"
        finally:
            connection.close()


class KilledServer(ServedCase):
    # No index is missing or double, every acknowledged message is there once, and each reader that resumes sees
    # each index once, in order.
    # Proves: R1, R8, R18
    def test_nothing_is_lost_or_double(self):
        self.start_server()
        room = self.make_room("hall")
        acknowledged, lock, failures = {}, threading.Lock(), []

        def write(writer: int):
            client = Client(self.port)
            for n in range(MESSAGES // WRITERS):
                key = f"{writer}:{n}"
                end = time.monotonic() + END
                while time.monotonic() < end:
                    try:
                        path = f"/api/v1/rooms/{room}/events?wait=committed"
                        status, _, answer = client.ask("POST", path, message(key, idempotency_key=key))
                    except (OSError, http.client.HTTPException):
                        time.sleep(0.02)  # as above
                        continue
                    if status in (200, 201):
                        with lock:
                            acknowledged[key] = answer["index"]
                        break
                    if status not in (429, 503):
                        failures.append((status, answer))
                        return
            client.close()

        count = MESSAGES // WRITERS * WRITERS
        readers = [Reader(self, room, count - 1) for _ in range(READERS)]
        writers = [threading.Thread(target=write, args=(w,), daemon=True) for w in range(WRITERS)]
        for thread in readers + writers:
            thread.start()
        draw = random.Random(5)
        for kill in range(1, KILLS + 1):
            # At some point of each fifth of the work.
            wanted = count * (kill - 1 + draw.random()) / KILLS
            while len(acknowledged) < wanted and not failures:
                time.sleep(0.01)
            self.kill_server()
            self.start_server(port=self.port)
        for thread in writers + readers:
            thread.join(END)
        self.assertEqual(failures, [])
        self.assertEqual(len(acknowledged), count)

        stored, after = [], -1
        client = self.client()
        while len(stored) < count:
            path = f"/api/v1/rooms/{room}/events?limit=500&after_index={after}"
            status, _, page = client.ask("GET", path)
            self.assertEqual(status, 200)
            self.assertTrue(page["events"], f"{len(stored)} of {count} are stored")
            stored += page["events"]
            after = stored[-1]["index"]
        self.assertEqual([e["index"] for e in stored], list(range(count)))
        self.assertEqual({e["content"]["body"]: e["index"] for e in stored}, acknowledged)
        for reader in readers:
            self.assertIsNone(reader.wrong)
            self.assertEqual(reader.indexes, list(range(count)))
        self.assertGreater(sum(reader.breaks for reader in readers), 0, "the kills were felt")
        self.assertEqual(self.stop_server(), 0)


if __name__ == "__main__":
    main()
