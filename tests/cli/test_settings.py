#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Settings, help and usage: what is not known is refused by name, and secrets stay hidden.

from cli_case import CliCase, main

COMMANDS = ("import", "export", "send", "tail", "rooms", "dedupe", "doctor", "version")


class Settings(CliCase):
    def test_an_unknown_variable_is_refused_by_name(self):
        ended = self.convene("version", env={"CONVENE_DB_ULR": "sqlite:///x.db"}, code=2)
        self.assertIn("CONVENE_DB_ULR", ended.err)
        self.assertIn("CONVENE_DB_URL?", ended.err)

    def test_an_unknown_key_of_the_file_is_refused_by_name(self):
        self.write("convene.toml", b'db_url = "sqlite:///x.db"\nprocess_timout = 3\n')
        for ended in (
            self.convene("--config", "convene.toml", "version", code=2),
            self.convene("version", env={"CONVENE_CONFIG": "convene.toml"}, code=2),
        ):
            self.assertIn("process_timout (convene.toml:2)", ended.err)

    def test_a_wrong_value_is_refused_by_name(self):
        self.assertIn("PROCESS_TIMEOUT", self.convene("version", env={"PROCESS_TIMEOUT": "soon"}, code=2).err)
        self.assertIn("--set-deadline", self.convene("version", "--set-deadline", "9d", code=2).err)
        self.assertIn("DB_URL", self.convene("rooms", env={"DB_URL": "mysql://x"}, code=2).err)
        nobody = {"DB_URL": "postgresql://me:hunter2@127.0.0.1:1/d"}
        said = self.convene("rooms", env=nobody, code=5).err
        self.assertIn("can't be reached", said)
        self.assertNotIn("hunter2", said)
        self.assertIn("LOCK_DB_URL", self.convene("rooms", env={"LOCK_DB_URL": "sqlite:///x.db"}, code=2).err)
        self.assertIn("DB_URL", self.convene("rooms", "--db", "sqlite:///:memory:", code=2).err)

    # Flag, prefixed variable, variable, file, default: the first that gives a value wins, and says so.
    def test_shows_what_is_in_force(self):
        self.write("convene.toml", b'set_deadline = "7s"\nprocess_timeout = "8s"\n')
        shown = self.convene(
            "--config",
            "convene.toml",
            "--print-config",
            "--db",
            "postgresql://me:hunter2@host/db?password=hunter3",
            env={"PROCESS_TIMEOUT": "9s", "CONVENE_PROCESS_TIMEOUT": "11s"},
        ).out
        self.assertIn('process_timeout = "11s"  # environment', shown)
        self.assertIn('set_deadline = "7s"  # convene.toml:1', shown)
        self.assertIn('delivery_recovery = "redeliver"  # default', shown)
        self.assertIn("# flag", shown)
        self.assertNotIn("hunter", shown)

    def test_a_secret_may_stand_in_a_file(self):
        self.write("url", b"sqlite:///from_file.db\n")
        self.convene("send", "--create", "a", "one", env={"DB_URL": "", "DB_URL_FILE": "url"})
        self.assertTrue((self.folder / "from_file.db").exists())

    def test_settings_stand_before_or_behind_the_command(self):
        self.convene("--db", "sqlite:///x.db", "send", "--create", "a", "one")
        self.assertEqual(len(self.convene("rooms", "--json", "--db", "sqlite:///x.db").lines()), 1)

    def test_every_command_has_help(self):
        overview = self.convene("--help").out
        self.assertIn("Usage: convene [OPTIONS]", overview)
        for command in COMMANDS:
            self.assertIn(command, overview)
            self.assertIn(f"Usage: convene {command} ", self.convene(command, "--help").out)
        for setting in ("--db", "--delivery-recovery", "--print-config", "Exit codes"):
            self.assertIn(setting, overview)

    def test_wrong_usage_is_said_on_standard_error(self):
        for arguments, named in (
            ((), "command"),
            (("dance",), "dance"),
            (("send", "a"), "TEXT"),
            (("tail", "a", "--after", "x"), "--after"),
            (("rooms", "--status", "odd"), "--status"),
            (("rooms", "--loud"), "--loud"),
            (("import", "f", "--concurrency", "0"), "--concurrency"),
            (("--organization", "a\nb", "rooms"), "--organization"),
        ):
            with self.subTest(arguments=arguments):
                ended = self.run_any(*arguments)
                self.assertIn(ended.code, (2, 3))
                self.assertEqual(ended.out, "")
                self.assertIn(named, ended.err)

    def test_version(self):
        version = self.convene("version", "--json").json()
        self.assertEqual(self.convene("version").out, f"convene {version['version']}\n")

    # Colours are for terminals.
    def test_no_colours_in_a_pipe(self):
        self.convene("send", "--create", "a", "one")
        for command in (("rooms",), ("tail", "a"), ("doctor",)):
            self.assertNotIn("\x1b", self.convene(*command, env={"TERM": "xterm"}).out)


if __name__ == "__main__":
    main()
