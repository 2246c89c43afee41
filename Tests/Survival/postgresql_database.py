"""Databases of a PostgreSQL of the tests."""

import re
import subprocess


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
        user, folder = re.match(r"postgres://(\w+)@/\w+\?host=(.*)", self.server).groups()
        command = ["psql", "-XAtq", "-h", folder, "-U", user, "-d", self.name, "-c", sql]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
