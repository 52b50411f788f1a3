#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# The server as whoever runs it meets it: starting, being asked, being told to stop.

import http.client
import json
import os

from served_case import PATIENCE, ROOT, SETTINGS, ServedCase, main, message


class Serve(ServedCase):
    # Nothing is open without signing in; the token of the configuration is an admin's.
    # Proves: X1
    def test_nothing_is_open_without_a_token(self):
        self.start_server()
        stranger = self.client(token="nobody")
        for path in ("/api/v1/rooms", "/api/v1/auth/me", "/api/v1/admin/workers"):
            self.assertEqual(stranger.ask("GET", path)[0], 401, path)
        status, _, problem = stranger.ask("POST", "/api/v1/rooms", {})
        self.assertEqual((status, problem["code"]), (401, "UNAUTHENTICATED"))
        self.assertEqual(self.client().ask("GET", "/api/v1/rooms")[0], 200)

    # The printed link logs in, once, and only the page with the session's own token may change something.
    # Proves: X1
    def test_the_link_logs_in_once(self):
        self.start_server()
        browser = self.client(token="")
        status, headers, me = browser.ask("POST", "/api/v1/auth/login", {"link_token": self.link})
        self.assertEqual(status, 200, me)
        cookie = headers["set-cookie"]
        self.assertRegex(cookie, r"^convene_session=\S+;.*HttpOnly")
        self.assertIn("SameSite=Lax", cookie)
        self.assertEqual(browser.ask("POST", "/api/v1/auth/login", {"link_token": self.link})[0], 401)

        session = {"Cookie": cookie.split(";")[0], "Authorization": ""}
        status, _, me = browser.ask("GET", "/api/v1/auth/me", headers=session)
        self.assertEqual((status, me["user"]["role"]), (200, "admin"))
        self.assertEqual(browser.ask("POST", "/api/v1/rooms", {}, headers=session)[0], 403)
        own = session | {"X-CSRF-Token": me["csrf_token"]}
        self.assertEqual(browser.ask("POST", "/api/v1/rooms", {"name": "Hall"}, headers=own)[0], 201)

    # Alive, ready, figures: for whoever runs it.
    # Proves: O2
    def test_it_says_how_it_is(self):
        self.start_server()
        asked = self.client()
        self.assertEqual(asked.ask("GET", "/livez")[0], 200)
        self.assertEqual(asked.ask("GET", "/readyz")[0], 200)
        status, _, figures = asked.ask("GET", "/metrics")
        self.assertEqual(status, 200)
        for family in ("convene_lane_lag", "convene_tail_readers", "convene_connections_open"):
            self.assertRegex(figures.decode(), rf"(?m)^{family} \d")

    # Told to stop it tells its streams where to resume, and ends with 0; what was acknowledged is there afterwards.
    # Proves: O3, R18
    def test_it_goes_in_order(self):
        self.start_server()
        room = self.make_room("hall")
        status, _, sent = self.client().ask("POST", f"/api/v1/rooms/{room}/events", message("hello"))
        self.assertEqual((status, sent["index"]), (201, 0))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        headers = {"Authorization": f"Bearer {SETTINGS['BOOTSTRAP_TOKEN']}"}
        connection.request("GET", f"/api/v1/rooms/{room}/stream?after=-1", headers=headers)
        stream = connection.getresponse()
        self.assertEqual(stream.status, 200)
        self.assertEqual(self.stop_server(), 0)
        frames = stream.read().decode()
        self.assertIn("id: 0\nevent: message\n", frames)
        self.assertTrue(frames.endswith('id: 0\nevent: end\ndata: {"reason":"draining"}\n\n'), frames)

        self.start_server(port=self.port)
        status, _, page = self.client().ask("GET", f"/api/v1/rooms/{room}/events")
        self.assertEqual([e["content"]["body"] for e in page["events"]], ["hello"])

    # The embedded database has one writing process, and a port has one server: both are refused with the reason.
    # Proves: S5
    def test_it_refuses_what_cannot_work(self):
        refused = self.convene("serve", "--workers", "2", code=2)
        self.assertIn("SQLite", refused.err)
        self.start_server()
        refused = self.run_any("--port", 0, "serve")
        self.assertEqual(refused.code, 4)
        taken = self.run_any("--port", self.port, "--db", "sqlite:///other.db", "serve")
        self.assertEqual(taken.code, 2)
        self.assertIn(str(self.port), taken.err)

    # It listens on this machine only, unless it is told otherwise.
    # Proves: X1
    def test_it_is_local_by_default(self):
        self.start_server()
        self.assertEqual(self.listening_addresses(), {"0100007F"}, "127.0.0.1, as the kernel spells it")
        self.stop_server()
        self.start_server("--host", "0.0.0.0")
        self.assertEqual(self.listening_addresses(), {"00000000"})

    def listening_addresses(self) -> set[str]:
        """Where the kernel says that somebody listens on the server's port."""
        lines = [line.split() for table in ("tcp", "tcp6") for line in open(f"/proc/net/{table}").readlines()[1:]]
        places = [fields[1].split(":") for fields in lines if fields[3] == "0A"]
        return {address for address, port in places if int(port, 16) == self.port}

    # The web app's files come with a policy that lets a page load nothing from elsewhere; its own paths get the page.
    # Proves: F1
    def test_it_serves_the_web_app(self):
        folder = self.folder / "app"
        (folder / "assets").mkdir(parents=True)
        (folder / "index.html").write_text("<!doctype html><title>page</title>")
        (folder / "assets/index-1.js").write_text("export {};")
        self.start_server("--web-dir", folder)
        visitor = self.client(token="")
        for path in ("/", "/rooms/42", "/login"):
            status, headers, body = visitor.ask("GET", path)
            self.assertEqual((status, headers["cache-control"]), (200, "no-cache"), path)
            self.assertIn(b"<title>page</title>", body)
            policy = headers["content-security-policy"]
            self.assertRegex(policy, r"default-src 'none'; script-src 'self';")
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
        status, headers, _ = visitor.ask("GET", "/assets/index-1.js")
        self.assertEqual((status, headers["content-type"]), (200, "text/javascript; charset=utf-8"))
        self.assertIn("immutable", headers["cache-control"])
        status, _, _ = visitor.ask("GET", "/assets/index-1.js", headers={"If-None-Match": headers["etag"]})
        self.assertEqual(status, 304)
        self.assertEqual(visitor.ask("GET", "/assets/gone.js")[0], 404)
        self.assertEqual(visitor.ask("POST", "/")[0], 405)
        self.assertEqual(visitor.ask("GET", "/../../etc/passwd")[0], 200)

    # Every path of the document is answered by the server, and the document by itself.
    # Proves: O2
    def test_the_document_is_served(self):
        self.start_server()
        status, _, document = self.client().ask("GET", "/api/openapi.json")
        self.assertEqual((status, document["openapi"]), (200, "3.1.0"))
        for wanted in ("/api/v1/rooms/{room_id}/stream", "/api/v1/ws", "/api/v1/auth/login", "/api/v1/users"):
            self.assertIn(wanted, document["paths"])

    # The types of the web app are made from this document. `./dev web types` brings both up to date.
    # Proves: F2
    def test_the_web_app_knows_the_document(self):
        self.start_server()
        _, _, document = self.client().ask("GET", "/api/openapi.json")
        kept = ROOT / "web/openapi.json"
        text = json.dumps(document, indent=4, ensure_ascii=False) + "\n"
        if os.environ.get("CONVENE_UPDATE") == "1":
            kept.write_text(text, encoding="utf-8")
        is_current = kept.read_text(encoding="utf-8") == text
        self.assertTrue(is_current, "web/openapi.json is not what the server answers: run ./dev web types")


if __name__ == "__main__":
    main()
