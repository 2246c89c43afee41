"""Flows that workers run for `understudy check --remote`, over a PostgreSQL of the tests."""

import json
import os
import re
import signal
import subprocess

import pytest
from console_process import PROJECT, binary
from postgresql_database import Database

FLOW = re.compile(r"flow (\d+): (\d+) passed, (\d+) failed, (\d+) skipped \((\S+)\)")


class Worker:
    """A worker that is ready."""

    def __init__(self, database, name, *arguments):
        self.name = name
        self.process = subprocess.Popen(
            [binary(), "worker", "--database", database.address, "--instance", name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line == f"understudy worker ready {name}\n", (line, self.process.stderr.read())

    def end(self, number=signal.SIGTERM):
        """Its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@pytest.fixture
def work(database):
    """Starts workers; those that still run must end with 0."""
    workers = []

    def begin(name, *arguments):
        workers.append(Worker(database, name, *arguments))
        return workers[-1]

    yield begin
    codes = [worker.end() for worker in workers if worker.process.poll() is None]
    assert not any(codes), codes


def understudy(*arguments, **options):
    return subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def remote(database, count, *arguments):
    """A check that is running."""
    command = [binary(), "check", "--remote", str(count), "--database", database.address, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(check):
    """What is left of the output of a check, and its errors; `communicate` would lose what a line's reader had read ahead."""
    rest, errors = check.stdout.read(), check.stderr.read()
    check.wait(60)
    return rest, errors


def test_each_flow_has_one_result_though_workers_are_killed(database, work):
    workers = {name: work(name) for name in ("a", "b", "c")}
    check = remote(database, 12)
    first = FLOW.match(check.stdout.readline())
    # It has taken its next flow, or is about to.
    workers[first[5]].end(signal.SIGKILL)
    rest, errors = ended(check)
    flows = [first, *FLOW.finditer(rest)]
    assert check.returncode == 0, (rest, errors)
    assert sorted(int(flow[1]) for flow in flows) == list(range(1, 13))
    assert all(int(flow[2]) > 30 and flow[3] == "0" for flow in flows)
    assert {flow[5] for flow in flows} == set(workers)
    assert database.ask("SELECT (SELECT count(*) FROM flow_run), (SELECT count(*) FROM flow_job)") == ["0|0"]


def test_a_worker_that_is_asked_to_end_finishes_its_flow(database, work):
    worker = work("a")
    check = remote(database, 3)
    FLOW.match(check.stdout.readline())
    while not database.ask("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"):
        assert check.poll() is None
    assert worker.end() == 0
    work("b")
    rest, _ = ended(check)
    assert check.returncode == 0
    assert [flow[5] for flow in FLOW.finditer(rest)] == ["a", "b"], rest


def test_a_connection_that_is_cut_costs_a_worker_only_its_flow(database, work):
    work("a")
    check = remote(database, 3)
    check.stdout.readline()
    database.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
    rest, errors = ended(check)
    assert check.returncode == 0, (rest, errors)
    assert len(FLOW.findall(rest)) == 2


def test_a_database_that_is_away_for_a_while_costs_nothing(database, work):
    workers = [work("a"), work("b")]
    check = remote(database, 8)
    check.stdout.readline()
    # Nobody can connect, and who is connected no longer is.
    server = Database(database.server)
    server.ask(f"ALTER DATABASE {database.name} ALLOW_CONNECTIONS false")
    server.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database.name}'")
    # Long enough that each of them has noticed.
    warned = check.stderr.readline()
    assert "the database is away" in warned
    server.ask(f"ALTER DATABASE {database.name} ALLOW_CONNECTIONS true")
    server.drop()
    rest, errors = ended(check)
    assert check.returncode == 0, (rest, errors)
    assert len(FLOW.findall(rest)) == 7 and all(worker.process.poll() is None for worker in workers)


def test_a_worker_whose_backend_is_away_leaves_its_flows_to_others(database, work):
    # A port that nobody listens on.
    away = work("away", "--backend", "https://127.0.0.1:1")
    check = remote(database, 3)
    assert "flows are left to other workers" in away.process.stderr.readline()
    work("b")
    rest, errors = ended(check)
    assert check.returncode == 0, (rest, errors)
    assert [flow[5] for flow in FLOW.finditer(rest)] == ["b", "b", "b"]
    assert all(flow[3] == "0" for flow in FLOW.finditer(rest))


def test_a_flow_that_ends_its_workers_fails(database, work):
    assert understudy("database", "migrate", "--database", database.address).returncode == 0
    check = remote(database, 2, "--format", "json")
    while database.ask("SELECT count(*) FROM flow_job") != ["2"]:
        assert check.poll() is None
    database.ask("INSERT INTO flow_try SELECT id, 'gone', 0 FROM flow_job, generate_series(1, 3) WHERE number = 1")
    work("a")
    report = json.loads(ended(check)[0])
    assert check.returncode == 1
    failed = [one for one in report["checks"] if one["outcome"] == "failed"]
    assert [one["id"] for one in failed] == ["1/flow"] and "3 workers ended" in failed[0]["reason"]
    assert report["summary"]["passed"] > 30


def test_a_check_that_is_interrupted_takes_its_flows_back(database):
    assert understudy("database", "migrate", "--database", database.address).returncode == 0
    check = remote(database, 5)
    while database.ask("SELECT count(*) FROM flow_job") != ["5"]:
        assert check.poll() is None
    check.send_signal(signal.SIGINT)
    _, errors = ended(check)
    assert check.returncode == 1 and "interrupted" in errors
    assert database.ask("SELECT count(*) FROM flow_job") == ["0"]


def test_an_interruption_does_not_wait_for_workers(database, work):
    work("a")
    check = remote(database, 50)
    check.stdout.readline()
    check.send_signal(signal.SIGINT)
    _, errors = ended(check)
    assert check.returncode == 1 and "interrupted" in errors
    assert int(database.ask("SELECT count(*) FROM flow_job")[0]) <= 1


def test_the_schema_is_made_and_checked(database):
    def ask(what):
        return understudy("database", what, "--database", database.address)

    missing = ask("check")
    steps = missing.stdout.splitlines()
    assert missing.returncode == 1 and any(step.endswith("1 flows") for step in steps), missing
    assert database.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == ["0"]
    made = ask("migrate").stdout.splitlines()
    assert made[0] == "1 flows" and made == steps[1:]
    assert {"understudy_console: 1 leases", "understudy_backend: signatures"} <= set(made)
    assert ask("migrate").stdout == "nothing to do\n"
    assert ask("check").returncode == 0
    database.ask("INSERT INTO schema_migration VALUES ('99 of a newer version')")
    for what in ("check", "migrate"):
        newer = ask(what)
        assert newer.returncode == 78 and "99 of a newer version" in newer.stderr


@pytest.mark.parametrize(("arguments", "code", "words"), [
    (["check", "--remote", "3"], 64, "--database is required"),
    (["check", "--remote", "0", "--database", "postgres://a@localhost/x"], 64, "not between 1 and 10000"),
    (["check", "--remote", "3", "--database", "postgres://a@localhost/x", "--backend", "https://localhost"], 64, "--backend cannot be passed on"),
    (["check", "--remote", "3", "--database", "postgres://a@localhost/x", "--timeout", "5", "--allow-drift"], 64, "--allow-drift, --timeout"),
    (["check", "--database", "postgres://a@localhost/x"], 64, "--database requires --remote"),
    (["check", "--remote", "3", "--database", "postgres://a@127.0.0.1:1/x"], 69, "Connection refused"),
    (["worker", "--database", "postgres://a@127.0.0.1:1/x"], 69, "Connection refused"),
    (["worker", "--database", "postgres://a@localhost/x", "--format", "json"], 78, "--format"),
    (["worker", "--database", "postgres://a@localhost/x", "--instance", "two words"], 64, "--instance"),
    (["backend", "--database", "postgres://a@localhost/x"], 78, "requires --vault-key-file"),
    (["backend", "--database", "postgres://a@localhost/x", "--data", "/nowhere"], 64, "cannot be combined with --data"),
    (["backend", "--database", "postgres://a@localhost/x", "--replay", "x.har"], 64, "cannot be combined with --replay"),
    (["backend", "--database", "mysql://a@localhost/x"], 64, "postgres://"),
    (["backend", "--database", "postgres://a@localhost/x", "--database-password-file", "/nowhere"], 66, "--database-password-file"),
    (["backend", "--vault-key-file", "key"], 64, "requires --database"),
    (["database", "check"], 64, "--database is required"),
    (["database", "check", "--database", "mysql://a@localhost/x"], 64, "postgres://"),
    (["database", "check", "--database", "postgres://a:secret-word@localhost/x"], 64, "password"),
    (["database", "check", "--database", "postgres://a@db.example/x?sslmode=prefer"], 78, "verify-full"),
])
def test_wrong_input_is_told_in_a_line(arguments, code, words):
    told = understudy(*arguments, env={key: value for key, value in os.environ.items() if not key.startswith("UNDERSTUDY_")})
    assert told.returncode == code, told
    assert words in told.stderr and "secret-word" not in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_machine_without_the_library_is_told_its_package():
    """The library is loaded only for a database, and hidden here from one process."""
    loaded = subprocess.run(["ldd", binary()], capture_output=True, text=True, check=True).stdout
    assert "libpq" not in loaded and "libssl" in loaded
    known = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    library = os.path.realpath(re.search(r"libpq\.so\.5 .*=> (\S+)", known)[1])
    command = f"mount --bind /dev/null {library} && exec {binary()} database check --database postgres://a@127.0.0.1:1/x"
    told = subprocess.run(["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True)
    if "unshare" in told.stderr or "mount:" in told.stderr:
        pytest.skip("this user may mount nothing")
    assert told.returncode == 69 and "apt-get install libpq5" in told.stderr, told


def test_a_worker_that_is_cut_off_loses_its_flow_within_seconds(tmp_path):
    """Neither end is told that the other is gone: only the keep-alive packets of both show it."""
    if subprocess.run(["unshare", "--net", "ip", "link", "set", "lo", "up"], capture_output=True).returncode:
        pytest.skip("this user may make no network")
    script = PROJECT / "Tests/Survival/cut_network.sh"
    told = subprocess.run(["unshare", "--net", script, PROJECT, binary(), tmp_path], capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, (told.stdout, told.stderr)
    assert int(re.search(r"let go after (\d+)", told.stdout)[1]) < 8000
    assert len(FLOW.findall(told.stdout)) == 3, told.stdout
