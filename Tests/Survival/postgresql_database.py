"""Databases of a PostgreSQL of the tests."""

import contextlib
import itertools
import re
import subprocess

from console_process import PROJECT
from moments import until

# PostgreSQL rolls a transaction back that cannot go on beside others (class 40 of its error codes); it may be tried again.
ROLLED_BACK = re.compile(r"^(?:psql:.*?)?ERROR:  40\w{3}: ", re.MULTILINE)


class Server:
    """A PostgreSQL of its own; nothing it stores outlives it. `address` is that of its first database."""

    def __init__(self, *folders):
        """With folders for its data, and for its write-ahead log if there are two, it is started again when it ends by itself."""
        command = [PROJECT / "Scripts/lib/postgresql", *(["", *folders] if folders else [])]
        # The script ends PostgreSQL when its standard input ends, so also when the tests do.
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

    numbers = itertools.count(1)

    def __init__(self, server, template=None):
        """Empty, or as another one is now that nobody uses."""
        name = f"survival{next(self.numbers)}"
        self.server = server
        self.name = "postgres"
        self.ask(f"CREATE DATABASE {name}" + (f" TEMPLATE {template.name}" if template else ""))
        self.name, self.address = name, server.replace("/postgres?", f"/{name}?")

    def ask(self, sql):
        """The rows of a statement, as text; a statement that was rolled back because of another is run again."""
        def done():
            ended = subprocess.run([*self._psql(), "-c", sql], capture_output=True, text=True, check=False)
            if ended.returncode and ROLLED_BACK.search(ended.stderr):
                return None
            ended.check_returncode()
            return ended

        return until(done, f"not rolled back: {sql}").stdout.split()

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
        return ["psql", "-XAtq", "-v", "VERBOSITY=verbose", "-h", folder, "-U", user, "-d", self.name]

    def drop(self):
        """Deletes it; whoever still has a connection loses it."""
        name, self.name = self.name, "postgres"
        self.ask(f"DROP DATABASE {name} WITH (FORCE)")
