# SPDX-License-Identifier: Apache-2.0
# A gate of TCP between a worker and its database: it delays, freezes, cuts and refuses.

import select
import socket
import threading
import time

TO_SERVER, TO_CLIENT = "to_server", "to_client"
CHUNK = 65536


class Pair:
    """One connection through the gate. Each direction is a thread."""

    def __init__(self, gate: "Gate", client: socket.socket, server: socket.socket):
        self.gate, self.client, self.server = gate, client, server
        for name, source, sink in ((TO_SERVER, client, server), (TO_CLIENT, server, client)):
            threading.Thread(target=self.carry, args=(name, source, sink), daemon=True).start()

    def carry(self, direction: str, source: socket.socket, sink: socket.socket):
        try:
            while True:
                # An end is carried as bytes are: behind a closed gate nobody sees that the other one has gone.
                data = source.recv(CHUNK)
                self.gate.pass_through(direction)
                if not data:
                    break
                sink.sendall(data)
        except OSError:
            pass  # one end was closed or reset, which the other one is told below
        self.gate.pass_through(direction)
        self.gate.forget(self)

    def close(self):
        for end in (self.client, self.server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it was closed by its other end
            end.close()


class Gate:
    """Listens on `port` and carries every connection to the target, as long as it is open."""

    def __init__(self, target: int):
        self.target, self.delay = target, 0.0
        self.open = {TO_SERVER: threading.Event(), TO_CLIENT: threading.Event()}
        self.admits = threading.Event()
        self.left, self.door = None, threading.Condition()  # how many more are let in; None: all
        self.pairs, self.lock, self.ended = set(), threading.Lock(), threading.Event()
        self.thaw()
        self.admits.set()
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listening.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while not self.ended.is_set():
            if not select.select([self.listening], [], [], 0.1)[0]:
                continue
            if not self.may_enter():
                continue
            client, _ = self.listening.accept()
            if not self.admits.is_set():
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()  # as the target does
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.pairs.add(Pair(self, client, server))

    def may_enter(self) -> bool:
        """For the next in line. Nobody leaves it, as at a server that is too busy to take them in."""
        with self.door:
            if not self.door.wait_for(lambda: self.left != 0, 0.1):
                return False
            if self.left is not None:
                self.left -= 1
            return True

    def pass_through(self, direction: str):
        if self.delay:
            time.sleep(self.delay)
        self.open[direction].wait()

    def forget(self, pair: Pair):
        with self.lock:
            self.pairs.discard(pair)
        pair.close()

    def freeze(self, *directions: str):
        """Bytes stop; connections stay. Without a direction: both."""
        for direction in directions or (TO_SERVER, TO_CLIENT):
            self.open[direction].clear()

    def thaw(self):
        for gate in self.open.values():
            gate.set()

    def refuse(self):
        self.admits.clear()

    def admit(self):
        self.admits.set()

    def let_in(self, count):
        """So many more, or all (None); others wait at the door, connected as far as they can tell."""
        with self.door:
            self.left = count
            self.door.notify_all()

    def cut(self):
        """Closes what is connected, to both sides."""
        with self.lock:
            cut, self.pairs = self.pairs, set()
        for pair in cut:
            pair.close()

    def close(self):
        self.ended.set()
        self.thread.join()
        self.listening.close()
        self.cut()
        self.thaw()
