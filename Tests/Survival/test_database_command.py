"""`understudy database` over a PostgreSQL of the tests, and wrong database arguments."""

import os
import re
import subprocess

import pytest
from console_process import binary


def understudy(*arguments, **options):
    """Runs the program to its end."""
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def test_schema_is_created_and_checked(database):
    def ask(what):
        return understudy("database", what, "--database", database.address)

    missing = ask("check")
    steps = missing.stdout.splitlines()
    assert missing.returncode == 1 and "understudy_console: 1 leases" in steps, missing
    assert database.ask("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'understudy%'") == ["0"]
    made = ask("migrate").stdout.splitlines()
    assert made == steps[1:] and {"understudy_console: 1 leases", "understudy_backend: signatures"} <= set(made)
    assert ask("migrate").stdout == "nothing to do\n"
    assert ask("check").returncode == 0
    database.ask("INSERT INTO understudy_console.schema_migration VALUES ('99 of a newer version')")
    for what in ("check", "migrate"):
        newer = ask(what)
        assert newer.returncode == 78 and "99 of a newer version" in newer.stderr


@pytest.mark.parametrize(("arguments", "code", "words"), [
    (["backend", "--database", "postgres://a@localhost/x"], 78, "requires --vault-key-file"),
    (["backend", "--database", "postgres://a@localhost/x", "--data", "/nowhere"], 64, "cannot be combined with --data"),
    (["backend", "--database", "postgres://a@localhost/x", "--replay", "x.har"], 64, "cannot be combined with --replay"),
    (["backend", "--database", "mysql://a@localhost/x"], 64, "postgres://"),
    (["backend", "--database", "postgres://a@localhost/x", "--database-password-file", "/nowhere"], 66, "--database-password-file"),
    (["backend", "--vault-key-file", "key"], 64, "requires --database"),
    (["database", "check", "--database", "postgres://a@127.0.0.1:1/x"], 69, "Connection refused"),
    (["database", "check"], 64, "--database is required"),
    (["database", "check", "--database", "mysql://a@localhost/x"], 64, "postgres://"),
    (["database", "check", "--database", "postgres://a:secret-word@localhost/x"], 64, "password"),
    (["database", "check", "--database", "postgres://a@db.example/x?sslmode=prefer"], 78, "verify-full"),
])
def test_wrong_input_is_reported_in_one_line(arguments, code, words):
    told = understudy(*arguments, env={key: value for key, value in os.environ.items() if not key.startswith("UNDERSTUDY_")})
    assert told.returncode == code, told
    assert words in told.stderr and "secret-word" not in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_missing_library_names_its_package():
    """The library is loaded only for a database. Here it is hidden from one process."""
    loaded = subprocess.run(["ldd", binary()], capture_output=True, text=True, check=True).stdout
    assert "libpq" not in loaded and "libssl" in loaded
    known = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    library = os.path.realpath(re.search(r"libpq\.so\.5 .*=> (\S+)", known)[1])
    command = f"mount --bind /dev/null {library} && exec {binary()} database check --database postgres://a@127.0.0.1:1/x"
    told = subprocess.run(["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True)
    if "unshare" in told.stderr or "mount:" in told.stderr:
        pytest.skip("this user may mount nothing")
    assert told.returncode == 69 and "apt-get install libpq5" in told.stderr, told
