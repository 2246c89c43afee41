"""Databases of a PostgreSQL of the tests."""

import contextlib
import re
import subprocess

from console_process import PROJECT


class Server:
    """A PostgreSQL of its own; nothing it stores outlives it. `address` is that of its first database."""

    def __init__(self, *folders):
        """With folders for its data, and for its write-ahead log if there are two, it is started again when it ends by itself."""
        command = [PROJECT / "Scripts/lib/postgresql", *(["", *folders] if folders else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready "), "PostgreSQL did not start"
        self.address = line.split()[1]

    def stop(self):
        """Ends it."""
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self.process.stdout.close()


class Database:
    """A database of a test's own."""

    count = 0

    def __init__(self, server):
        Database.count += 1
        name = f"survival{Database.count}"
        self.server = server
        self.name = "postgres"
        self.ask(f"CREATE DATABASE {name}")
        self.name, self.address = name, server.replace("/postgres?", f"/{name}?")

    def ask(self, sql):
        """The rows of a statement, as text."""
        return subprocess.run([*self._psql(), "-c", sql], capture_output=True, text=True, check=True).stdout.split()

    @contextlib.contextmanager
    def session(self, sql):
        """A connection that stays open after a statement."""
        with subprocess.Popen(self._psql(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
            psql.stdin.write(f"{sql};\n\\echo ready\n")
            psql.stdin.flush()
            for line in psql.stdout:
                if line.strip() == "ready":
                    break
            yield

    def _psql(self):
        user, folder = re.match(r"postgres://(\w+)@/\w+\?host=(.*)", self.server).groups()
        return ["psql", "-XAtq", "-h", folder, "-U", user, "-d", self.name]

    def drop(self):
        """Deletes it; whoever still has a connection loses it."""
        name, self.name = self.name, "postgres"
        self.ask(f"DROP DATABASE {name} WITH (FORCE)")
