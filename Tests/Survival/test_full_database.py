"""A PostgreSQL whose disk is full: nobody is signed out, nothing that was acknowledged is lost, and all goes on when there is room."""

import http.client
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from backend_process import call
from moments import until
from postgresql_database import Database, Server
from team import Member, Team, goes_on
from test_disk import fill, small_disk

STAGES = ("new", "learning", "review", "mastered")
# In passing, as pages take them: the disk is full, or the database is away or starts.
PASSING = (502, 503, 504, 507)


class Page(threading.Thread):
    """Moves a cue and reads it, over and over, as somebody who studies does; notes what was acknowledged and lost."""

    def __init__(self, member):
        super().__init__()
        self.member, self.is_over = member, threading.Event()
        self.cue = member.call("GET", "/api/cues").json["cues"][0]["cue_id"]
        self.acknowledged, self.doubtful = None, set()
        self.count, self.refusals, self.refused, self.faults = 0, 0, set(), []

    def run(self):
        while not self.is_over.is_set():
            for stage in STAGES:
                self.move(stage)
            self.look()

    def ask(self, method, path, body=None):
        """The status and the JSON of an answer; 0 without one."""
        try:
            answer = self.member.call(method, path, body, timeout=15)
        except (OSError, http.client.HTTPException, AttributeError):
            # Without a connection (AttributeError), the test has sent the page to another console meanwhile.
            self.member.close()
            return 0, {}
        if answer.status in PASSING:
            self.refused.add((answer.status, answer.code))
            self.refusals += 1
        elif answer.status >= 400 and answer.status != 409:
            self.faults.append((path, answer.status, answer.code))
        return answer.status, answer.json or {}

    def move(self, stage):
        """Moves the cue; 200 and 202 acknowledge it."""
        status, _ = self.ask("POST", f"/api/cues/{self.cue}/stage", {"stage": stage})
        if status in (200, 202):
            self.acknowledged, self.doubtful = stage, set()
            self.count += 1
        else:
            self.doubtful.add(stage)

    def look(self):
        """What was acknowledged last is there, unless a move since was made without an answer."""
        status, answer = self.ask("GET", "/api/cues")
        if status == 200 and self.acknowledged:
            now = next(one["stage"] for one in answer["cues"] if one["cue_id"] == self.cue)
            if now not in {self.acknowledged} | self.doubtful:
                self.faults.append(("lost", self.acknowledged, now))

    def end(self):
        self.is_over.set()
        self.join(60)
        assert not self.is_alive()


@pytest.fixture(params=[pytest.param("tables", marks=pytest.mark.long), pytest.param("log", marks=pytest.mark.long)])
def disk(request):
    """A small file system for PostgreSQL's tables or for its write-ahead log, and a team that uses it."""
    # Not a folder of pytest's: each pytest that starts closes those of this user to PostgreSQL's.
    with tempfile.TemporaryDirectory(prefix="full-database-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        small, other = folder / request.param, folder / "other"
        other.mkdir()
        with small_disk(small, 96 if request.param == "tables" else 24) as disk:
            server = Server(*([small, other] if request.param == "tables" else [other, small]))
            team = Team(folder, Database(server.address))
            try:
                yield disk, team
                team.stop()
            finally:
                for console in team.consoles:
                    if console.is_alive():
                        console.kill()
                server.stop()


def exhaust_log(database):
    """PostgreSQL ends when it cannot write its log, and cannot start again on the full disk."""
    with pytest.raises(subprocess.CalledProcessError) as failed:
        database.ask("CREATE TABLE large AS SELECT repeat(number::text, 100) FROM generate_series(1, 100000) AS number")
    assert "connection" in failed.value.stderr, failed.value.stderr


def test_a_full_disk_signs_nobody_out_and_loses_nothing(disk):
    disk, team = disk
    members = [team.member(team.consoles[number % 2], f"member{number}@example.com") for number in range(6)]
    pages = [Page(member) for member in members]
    for page in pages:
        page.start()
    until(lambda: all(page.count > 2 for page in pages), "pages are used", 60)
    fill(disk / "stuffing")
    if disk.name == "log":
        exhaust_log(team.database)
    until(lambda: all(page.refused for page in pages), "every page meets the full disk", 60)
    # Stays full while tokens are refreshed and a console is lost.
    for member in members[2:4]:
        member.close()
    team.consoles[0].kill()
    for page in pages[::2]:
        page.member.at(team.consoles[1])
    refusals = [page.refusals for page in pages]
    until(lambda: all(page.refusals > count + 20 for page, count in zip(pages, refusals, strict=True)), "every page is refused again and again", 60)
    (disk / "stuffing").unlink()
    freed, counts = time.monotonic(), [page.count for page in pages]
    until(lambda: all(page.count > count for page, count in zip(pages, counts, strict=True)), "every page goes on", 60)
    print(f"pages went on within {time.monotonic() - freed:.2f} s")
    for page in pages:
        page.end()
        page.look()
    assert [page.faults for page in pages] == [[]] * len(pages)
    for member in members:
        goes_on(member)
        assert member.call("GET", "/api/account").json["user"]["email"] == member.identifier
    print(sorted(set.union(*(page.refused for page in pages))))
    assert "Fatal error" not in team.consoles[1].errors


@pytest.mark.long
@pytest.mark.parametrize("disk", ["tables"], indirect=True)
def test_tokens_are_not_refreshed_while_a_full_disk_would_not_take_them(disk):
    """The small row that says where a device is still has room there: another console could take the session with a token that is used up."""
    disk, team = disk
    first, second = team.consoles
    members = [team.member(first, f"late{number}@example.com") for number in range(4)]
    fill(disk / "stuffing")

    def session(member):
        """The state of the member's session; empty without one."""
        answer = member.call("GET", "/api/state", timeout=15)
        return answer.json["session"] if answer.status == 200 else {}

    def is_refused(member):
        """Asks for new tokens, and tells whether they could not be noted."""
        member.must("POST", "/api/session/refresh", status=(200, *PASSING), timeout=15)
        return session(member).get("reason") in ("storage_full", "storage_unavailable")

    # A transaction that sees old rows, as a dump does, keeps their place from being used again.
    with team.database.session("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class"):
        for member in members:
            until(lambda member=member: is_refused(member), "the disk takes no more tokens", 60)
            assert session(member)["state"] != "signed_out"
        # Those whose refresh was not sent may move meanwhile.
        team.settle()
        for member in members:
            if session(member)["state"] == "error":
                other = Member(team.front, shares=member)
                other.key = member.key
                other.at(second).must("GET", "/api/state", status=(200, 503), timeout=15)
                other.close()
    (disk / "stuffing").unlink()
    # The others had room for the note and none for the tokens that came.
    until(lambda: not any(session(one).get("state") == "authenticated" and session(one).get("reason") for one in members), "all are saved", 30)
    first.kill()
    # A backend that gets a spent token now ends the session.
    connection = team.backend.connect()
    assert call(connection, "POST", "/dev/clock", {"advance_seconds": 60}, token=team.backend.token)[0] == 200
    connection.close()
    for member in members:
        goes_on(member.at(second))
