# SPDX-License-Identifier: Apache-2.0
# A user of the organisation who is logged in, on any worker.

from served_case import Client, TOKEN


class Person:
    """Invited by an admin; the password is set through the link of the invitation."""

    def __init__(self, port: int, name: str, role: str = "member", admin: str = TOKEN):
        wanted = {"email": f"{name}@example.com", "display_name": name, "role": role}
        status, _, made = self._once(port, "POST", "users", wanted, {}, admin)
        assert status == 201, made
        self.id = made["user"]["id"]
        link = made["link"].rpartition("link=")[2]
        chosen = {"link_token": link, "password": "correct horse"}
        status, headers, me = self._once(port, "POST", "auth/password", chosen, {}, "")
        assert status == 200, me
        self.headers = {
            "Cookie": headers["set-cookie"].split(";")[0], "Authorization": "", "X-CSRF-Token": me["csrf_token"],
        }

    def ask(self, port: int, method: str, path: str, body=None):
        """Status and JSON of the answer."""
        status, _, answer = self._once(port, method, path, body, self.headers, "")
        return status, answer

    @staticmethod
    def _once(port: int, method: str, path: str, body, headers: dict, token: str):
        client = Client(port, token)
        try:
            return client.ask(method, f"/api/v1/{path}", body, headers)
        finally:
            client.close()
