# SPDX-License-Identifier: Apache-2.0
# A git server over HTTPS: `git http-backend` behind basic authentication, or a server that takes requests and is silent.

import base64
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GIT = {
    "PATH": "/usr/bin:/bin",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "T",
    "GIT_AUTHOR_EMAIL": "t@example.com",
    "GIT_COMMITTER_NAME": "T",
    "GIT_COMMITTER_EMAIL": "t@example.com",
}


def git(folder: Path, *arguments: str) -> str:
    ended = subprocess.run(
        ["git", *arguments], cwd=folder, env=GIT, capture_output=True, check=True, timeout=60
    )
    return ended.stdout.decode().strip()


def make_repository(folder: Path, files: dict[str, str]) -> str:
    """A repository with these files as its one commit, or one more; answers the commit."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True)
        git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "x")
    return git(folder, "rev-parse", "HEAD")


def make_certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "git.pem", folder / "git.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return certificate, key


class GitServer:
    """Serves the repositories of a folder. `credentials`: `user:password`, or whoever asks. `stalls`: requests are
    taken and never answered."""

    def __init__(self, root: Path, folder: Path, credentials: str = "", stalls: bool = False):
        self.root, self.credentials, self.stalls = root, credentials, stalls
        self.seen, self.redirect, self.release = [], "", threading.Event()
        self.certificate, key = make_certificate(folder)
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                server.answer(self)

            do_POST = do_GET

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def url(self, name: str) -> str:
        return f"https://127.0.0.1:{self.port}/{name}"

    def close(self):
        self.release.set()
        self.http.shutdown()
        self.http.server_close()

    def answer(self, request: BaseHTTPRequestHandler):
        self.seen.append((request.path, request.headers.get("Authorization", "")))
        if self.stalls:
            self.release.wait(300)
            request.close_connection = True
            return
        expected = "Basic " + base64.b64encode(self.credentials.encode()).decode()
        if self.credentials and request.headers.get("Authorization") != expected:
            self.reply(request, 401, [("WWW-Authenticate", 'Basic realm="git"')], b"")
            return
        if self.redirect:
            self.reply(request, 302, [("Location", self.redirect + request.path)], b"")
            return
        self.run_backend(request)

    @staticmethod
    def reply(request, status: int, headers: list, body: bytes):
        request.send_response(status)
        for name, value in headers:
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def run_backend(self, request):
        path, _, query = request.path.partition("?")
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        environment = GIT | {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": request.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        ended = subprocess.run(
            ["git", "http-backend"], input=body, env=environment, capture_output=True, timeout=60
        )
        head, _, content = ended.stdout.partition(b"\r\n\r\n")
        status, headers = 200, []
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name.lower() == "status":
                status = int(value.split()[0])
            elif name:
                headers.append((name, value))
        self.reply(request, status, headers, content)


def processes_with(text: str) -> list[int]:
    """The processes that have this text among their arguments or variables."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            what = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in what:
            found.append(int(folder.name))
    return found


def arguments_with(text: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if text.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found
