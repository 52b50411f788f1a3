#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Files over real sockets: upload, ranges, links that expire, limits, other organisations, and a server that is killed
# while one comes in.

import hashlib
import http.client
import os
import socket
import sqlite3
import time

from served_case import PATIENCE, TOKEN, ServedCase, main, message

MAX_BYTES = 3 << 20
PNG = b"\x89PNG\r\n\x1a\n"


class Attachments(ServedCase):
    def setUp(self):
        super().setUp()
        self.start_server("--attachment-max-bytes", MAX_BYTES)
        self.room = self.make_room("files")

    def upload(self, body: bytes, name="cat.png", token=TOKEN, **headers):
        path = f"/api/v1/rooms/{self.room}/attachments?filename={name}"
        sent = {"Content-Type": "image/png"} | {k.replace("_", "-"): v for k, v in headers.items()}
        return self.client(token).ask("POST", path, body, sent)

    def database(self):
        return sqlite3.connect(f"file:{self.folder}/test.db?mode=ro", uri=True)

    # What goes in comes out, by whole and by part, and a message names it.
    # Proves: R20
    def test_up_and_down(self):
        body = PNG + os.urandom(2 << 20)
        status, headers, made = self.upload(body)
        self.assertEqual(status, 201, made)
        self.assertEqual(made["sha256"], hashlib.sha256(body).hexdigest())
        client, path = self.client(), headers["location"]
        status, headers, read = client.ask("GET", path)
        self.assertEqual((status, read), (200, body))
        self.assertEqual(headers["content-length"], str(len(body)))
        self.assertEqual(headers["content-type"], "image/png")
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertIn("sandbox", headers["content-security-policy"])
        first, last = 262_140, 262_150
        status, headers, part = client.ask("GET", path, None, {"Range": f"bytes={first}-{last}"})
        self.assertEqual((status, part), (206, body[first : last + 1]))
        self.assertEqual(headers["content-range"], f"bytes {first}-{last}/{len(body)}")
        status, headers, _ = client.ask("HEAD", path)
        self.assertEqual((status, headers["content-length"]), (200, str(len(body))))
        content = {"type": "media", "url": made["url"], "mime_type": "image/png"}
        sent = {"content": content, "channel_id": "web"}
        status, _, event = client.ask("POST", f"/api/v1/rooms/{self.room}/events", sent)
        self.assertEqual(status, 201, event)
        content["url"] = "attachment:00000000-0000-0000-0000-000000000000"
        status, _, problem = client.ask("POST", f"/api/v1/rooms/{self.room}/events", sent)
        self.assertEqual((status, problem["errors"][0]["field"]), (422, "content"))

    # A link needs no login, only itself, and only for its time.
    # Proves: R20
    def test_links_expire(self):
        _, headers, _ = self.upload(PNG)
        status, _, link = self.client().ask(
            "POST", headers["location"] + "/link", {"expires_in_seconds": 2}
        )
        self.assertEqual(status, 201, link)
        stranger = self.client("none")
        self.assertEqual(stranger.ask("GET", link["url"])[::2], (200, PNG))
        self.assertEqual(stranger.ask("GET", link["url"] + "0")[0], 404)
        self.assertEqual(stranger.ask("GET", headers["location"])[0], 401)
        end = time.monotonic() + PATIENCE
        status = 200
        while status == 200 and time.monotonic() < end:
            status, _, problem = stranger.ask("GET", link["url"])
            time.sleep(0.1)  # between tries: a stranger may not ask more often for long
        self.assertEqual((status, problem["code"]), (410, "LINK_EXPIRED"))

    # Another organisation does not see that there is a file, and can't upload into a room that is not its own.
    # Proves: R20, X1
    def test_other_organisations(self):
        _, headers, _ = self.upload(PNG)
        found = {"name": "Other", "admin_email": "eve@example.com", "admin_name": "Eve"}
        status, _, made = self.client().ask("POST", "/api/v1/organizations", found)
        self.assertEqual(status, 201, made)
        link = made["link"].split("#link=")[1]
        status, answer, me = self.client("none").ask(
            "POST", "/api/v1/auth/password", {"link_token": link, "password": "a long password"}
        )
        self.assertEqual(status, 200, me)
        cookie = answer["set-cookie"].split(";")[0]
        eve = {"Cookie": cookie, "X-CSRF-Token": me["csrf_token"], "Authorization": ""}
        for path in (headers["location"], headers["location"] + "/link"):
            method = "POST" if path.endswith("link") else "GET"
            self.assertEqual(self.client("").ask(method, path, None, eve)[0], 404, path)
        big = PNG + bytes(2 << 20)
        path = f"/api/v1/rooms/{self.room}/attachments"
        try:
            status, _, _ = self.client("").ask("POST", path, big, eve)
            self.assertEqual(status, 404)
        except OSError:
            pass  # refused before the body was read

    # Beyond the limit nothing is taken in, and it is said so before the body is sent; the same for who is nobody.
    # Proves: R20
    def test_limits(self):
        for size, token, expected in ((MAX_BYTES + 1, TOKEN, b"413"), (2 << 20, "x", b"401")):
            with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as peer:
                head = (
                    f"POST /api/v1/rooms/{self.room}/attachments HTTP/1.1\r\nHost: x\r\n"
                    f"Authorization: Bearer {token}\r\nContent-Length: {size}\r\n"
                    "Expect: 100-continue\r\n\r\n"
                )
                peer.sendall(head.encode())
                self.assertEqual(peer.recv(12)[9:], expected)
        self.assertEqual(self.upload(PNG + bytes(MAX_BYTES - len(PNG)))[0], 201)
        status = 413
        try:
            body = message("x" * (2 << 20))
            status, _, _ = self.client().ask("POST", f"/api/v1/rooms/{self.room}/events", body)
        except OSError:
            pass  # refused before the body was read
        self.assertEqual(status, 413)

    # The same key is the same file, also after a restart.
    # Proves: R8, R20
    def test_keys(self):
        first = self.upload(PNG, Idempotency_Key="k")
        self.stop_server()
        self.start_server("--attachment-max-bytes", MAX_BYTES)
        again = self.upload(PNG, Idempotency_Key="k")
        self.assertEqual((first[0], again[0]), (201, 200))
        self.assertEqual(first[2], again[2])
        self.assertEqual(self.upload(PNG + b"x", Idempotency_Key="k")[0], 422)

    # A server that is killed while a file comes in, or is stored, leaves nothing of it; what was answered stays.
    # Proves: R20
    def test_killed_while_a_file_comes_in(self):
        kept = self.upload(PNG, "kept.png")[2]["id"]
        half = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        self.addCleanup(half.close)
        head = (
            f"POST /api/v1/rooms/{self.room}/attachments?filename=half.png HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {TOKEN}\r\nContent-Length: {MAX_BYTES}\r\n\r\n"
        )
        half.sendall(head.encode() + PNG + bytes(1 << 20))
        body = PNG + os.urandom(MAX_BYTES - len(PNG))
        peer = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(peer.close)
        sent = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "image/png"}
        path = f"/api/v1/rooms/{self.room}/attachments?filename=whole.png"
        peer.request("POST", path, body, sent)
        # Killed as soon as some of it is stored.
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with self.database() as database:
                count = "SELECT count(*) FROM attachment_chunks"
                if database.execute(count).fetchone()[0] > 1:
                    break
        self.kill_server()
        self.start_server("--attachment-max-bytes", MAX_BYTES)
        # What is left is whole: the file of before, and the other one only if it was stored to its end.
        left = (
            "SELECT id, state = 2 AND size_bytes = (SELECT sum(length(bytes)) FROM"
            " attachment_chunks WHERE attachment_id = attachments.id) FROM attachments"
        )
        stray = (
            "SELECT count(*) FROM attachment_chunks WHERE attachment_id NOT IN"
            " (SELECT id FROM attachments)"
        )
        end = time.monotonic() + PATIENCE
        rows, strays = {}, 1
        while time.monotonic() < end and not (rows and all(rows.values()) and strays == 0):
            with self.database() as database:
                rows = dict(database.execute(left).fetchall())
                strays = database.execute(stray).fetchone()[0]
        self.assertEqual(strays, 0)
        self.assertIn(kept, rows)
        self.assertTrue(all(rows.values()), rows)
        self.assertLessEqual(len(rows), 2)
        self.assertEqual(self.client().ask("GET", f"/api/v1/attachments/{kept}")[2], PNG)


if __name__ == "__main__":
    main()
