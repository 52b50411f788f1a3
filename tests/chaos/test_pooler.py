#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# PgBouncer between the workers and the database: refused where it mixes sessions, good where it keeps them.

import os
import shutil
import subprocess
import time

from cluster_case import PATIENCE, ClusterCase, main, message
from database import BIN, DATABASE, USER, Other, free_port

PROGRAM = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"


class Pooler(ClusterCase):
    def start_pooler(self, mode: str) -> int:
        """Answers its port."""
        port, folder = free_port(), self.folder / f"pooler-{mode}"
        folder.mkdir()
        file = folder / "pgbouncer.ini"
        file.write_text(
            "[databases]\n"
            f"{DATABASE} = host=127.0.0.1 port={self.database.port} dbname={DATABASE} user={USER}\n"
            "[pgbouncer]\n"
            f"listen_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = {mode}\n"
            "max_client_conn = 200\ndefault_pool_size = 60\n"
        )
        # As PostgreSQL, it does not run as root.
        owner = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        if owner:
            self.folder.chmod(0o711)
            shutil.chown(folder, "postgres", "postgres")
        with open(self.folder / f"pooler-{mode}.log", "wb") as log:
            process = subprocess.Popen([PROGRAM, str(file)], stdout=log, stderr=log, cwd=folder, **owner)
        self.addCleanup(self.end_pooler, process)
        question = [str(BIN / "psql"), "-XAtqc", "SELECT 1", self.database.url(port)]
        self.until(
            lambda: subprocess.run(question, capture_output=True, check=False).returncode == 0,
            "no pooler answers",
            10,
        )
        return port

    @staticmethod
    def end_pooler(process: subprocess.Popen):
        process.terminate()
        process.wait(PATIENCE)

    # Proves: L9
    def test_changing_sessions_are_refused(self):
        port = self.start_pooler("transaction")
        worker = self.make_worker(address=self.database.url(port))
        started = time.monotonic()
        worker.launch()
        self.assertFalse(worker.wait_for_start(), "it serves through a pooler that mixes sessions")
        self.assertEqual(worker.process.wait(PATIENCE), 5)
        self.note(f"refused after {time.monotonic() - started:.2f} s")
        self.assertIn("pool_mode = session", worker.logged())
        self.assertIn("DB_URL", worker.logged())
        # Locks past the pooler do not help: commits are made where the locks are, everything else is not.
        direct = self.make_worker("--lock-db-url", self.database.url(), "serve", address=self.database.url(port))
        direct.launch()
        self.assertFalse(direct.wait_for_start())
        self.assertIn("DB_URL", direct.logged())

    # Proves: L9, R1, R8
    def test_kept_sessions_are_good(self):
        port = self.start_pooler("session")
        pooled = self.make_worker(address=self.database.url(port)).start()
        self.make_worker().start()
        rooms = self.make_rooms(4)
        traffic = self.traffic(rooms, 8).start()
        traffic.wait_for(200, PATIENCE)
        traffic.stop(PATIENCE)
        self.assert_invariants(traffic.acknowledged)
        sent = self.ask(pooled, "POST", f"rooms/{rooms[0]}/events", message("through the pooler"), 201)
        self.assertEqual(sent["progress"], "delivered")

    # Proves: L9, L4
    def test_locks_of_another_database_are_refused(self):
        other = Other(self.database, "other")
        worker = self.make_worker("--lock-db-url", other.url(), "serve")
        worker.launch()
        self.assertFalse(worker.wait_for_start())
        self.assertIn("LOCK_DB_URL leads to another database", worker.logged())


if __name__ == "__main__":
    main()
