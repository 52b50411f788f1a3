# SPDX-License-Identifier: Apache-2.0
# Hosts: network namespaces of a test's own, each with a wire to the database that loses and delays packets.
"""All of it is in the test's own network namespace, so nothing is left when the test's processes have ended.

        the test, receivers, PostgreSQL
          |  control (veth, undisturbed)     |  wire (its packets pass through `Wire`)
        10.213.N.1 - 10.213.N.2            10.214.N.1 - 10.214.N.2        host N, a worker

The kernel of a container seldom has netem and a packet filter; a device whose other end is a program is in all of them.
"""

import errno
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

INSIDE = "CONVENE_CHAOS_NETWORK"
SKIPPED = 77  # what a test file that can't be run here exits with
TO_SERVER, TO_CLIENT = "to_server", "to_client"

TUN = "/dev/net/tun"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LONGEST_PACKET = 65536
LONGEST_COMMAND = 10  # seconds


def run(*command: str):
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_COMMAND, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")


def obstacle() -> str:
    """Why there can be no hosts here; empty: there can."""
    if os.geteuid() != 0:
        return "only root can make them"
    for tool in ("ip", "unshare", "nsenter"):
        if not any((Path(folder) / tool).exists() for folder in os.environ["PATH"].split(":")):
            return f"there is no {tool}"
    tried = subprocess.run(
        ["unshare", "--net", "ip", "tuntap", "add", "dev", "tried", "mode", "tun"],
        capture_output=True, text=True, timeout=LONGEST_COMMAND, check=False,
    )
    return tried.stderr.strip() if tried.returncode else ""


def enter_own_network():
    """Runs this program again in a network namespace of its own; ends it if there can be none."""
    if os.environ.get(INSIDE):
        run("ip", "link", "set", "lo", "up")
        return
    reason = obstacle()
    if reason:
        print(f"SKIPPED: no hosts in network namespaces here: {reason}", flush=True)
        sys.exit(SKIPPED)
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])


def make_device(name: str) -> int:
    """A network device, up to its addresses; what is sent through it is read here."""
    device = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return device


class Wire(threading.Thread):
    """Carries packets between two devices. Each direction loses a part of them, and delays the others."""

    def __init__(self, server: int, client: int, seed: str):
        super().__init__(daemon=True)
        self.ways = {server: (TO_CLIENT, client), client: (TO_SERVER, server)}
        self.lost = {TO_SERVER: 0.0, TO_CLIENT: 0.0}
        self.delay = 0.0
        self.draw = random.Random(seed)
        self.carried = {TO_SERVER: 0, TO_CLIENT: 0}
        self.dropped = {TO_SERVER: 0, TO_CLIENT: 0}
        self.due, self.number, self.ended = [], 0, threading.Event()

    def run(self):
        waiting = select.poll()
        for device in self.ways:
            waiting.register(device, select.POLLIN)
        while not self.ended.is_set():
            for device, _ in waiting.poll(self.milliseconds_to_next()):
                self.take(device)
            self.hand_on()
        for device in self.ways:
            os.close(device)

    def milliseconds_to_next(self) -> float:
        return max(0.0, min(100.0, (self.due[0][0] - time.monotonic()) * 1000)) if self.due else 100.0

    def take(self, device: int):
        direction, sink = self.ways[device]
        packet = os.read(device, LONGEST_PACKET)
        if self.draw.random() < self.lost[direction]:
            self.dropped[direction] += 1
            return
        self.carried[direction] += 1
        self.number += 1
        heapq.heappush(self.due, (time.monotonic() + self.delay, self.number, sink, packet))

    def hand_on(self):
        while self.due and self.due[0][0] <= time.monotonic():
            _, _, sink, packet = heapq.heappop(self.due)
            try:
                os.write(sink, packet)
            except OSError as refused:
                # A full queue or a device that is not up yet: a packet more that was lost on its way.
                if refused.errno not in (errno.EAGAIN, errno.EIO, errno.ENOBUFS):
                    raise

    def lose(self, part: float, *directions: str):
        """Without a direction: in both."""
        for direction in directions or (TO_SERVER, TO_CLIENT):
            self.lost[direction] = part

    def close(self):
        self.ended.set()
        self.join()


class Host:
    """A machine as far as the network goes. Programs are started in it by putting `enter` in front."""

    def __init__(self, number: int, seed: str):
        self.address, self.outside = f"10.213.{number}.2", f"10.213.{number}.1"
        self.database = f"10.214.{number}.1"
        # Its namespace lives as long as a process in it.
        self.keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.wire = None
        try:
            self.enter = ["nsenter", f"--net=/proc/{self.wait_for_namespace()}/ns/net", "--"]
            self.connect(number, seed)
        except BaseException:
            self.close()
            raise

    def wait_for_namespace(self) -> int:
        mine, its = (Path(f"/proc/{process}/ns/net") for process in ("self", self.keeper.pid))
        end = time.monotonic() + LONGEST_COMMAND
        while its.readlink() == mine.readlink():
            if time.monotonic() > end:
                raise AssertionError("unshare made no namespace")
            time.sleep(0.01)  # between two looks
        return self.keeper.pid

    def connect(self, number: int, seed: str):
        inside, outside = str(self.keeper.pid), f"control{number}"
        run("ip", "link", "add", outside, "type", "veth", "peer", "name", "control", "netns", inside)
        here, there = make_device(f"wire{number}"), make_device(f"far{number}")
        run("ip", "link", "set", f"far{number}", "netns", inside)
        self.wire = Wire(here, there, f"{seed}:{number}")
        self.wire.start()
        ends = (
            ([], outside, [f"{self.outside}/30"]),
            (self.enter, "control", [f"{self.address}/30"]),
            ([], f"wire{number}", [self.database, "peer", f"10.214.{number}.2"]),
            (self.enter, f"far{number}", [f"10.214.{number}.2", "peer", self.database]),
        )
        run(*self.enter, "ip", "link", "set", "lo", "up")
        for enter, device, address in ends:
            run(*enter, "ip", "address", "add", *address, "dev", device)
            run(*enter, "ip", "link", "set", device, "up")
        # Receivers have one address for all hosts.
        run(*self.enter, "ip", "route", "add", "default", "via", self.outside)

    def close(self):
        if self.wire is not None:
            self.wire.close()
        self.keeper.kill()
        self.keeper.wait()
