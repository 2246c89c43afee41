"""Many devices in use on three consoles: how long a page's call takes, and what they notice when a console or the database is lost."""
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import tempfile
import threading
import time

import database
import figures

CONSOLES, STAGES = 3, ("new", "learning", "review", "mastered")


class Page:
    """A signed-in device as an open page uses it; calls that fail in passing are made again, as pages do."""

    def __init__(self, port, person):
        self.port, self.key, self.cookie = port, person.key, person.connection.cookie
        self.connection, self.cue, self.turn = None, None, random.randrange(3)
        # What the console has acknowledged last, and what it may have taken since.
        # A move without an answer may still be made later, whatever was acknowledged meanwhile.
        self.acknowledged, self.doubtful, self.unanswered = None, set(), set()
        self.waits, self.faults, self.lost = [], [], 0

    def once(self, method, path, body=None):
        """The status and the JSON of an answer; raises OSError or HTTPException without one."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Host": f"localhost:{self.port}", "Origin": f"http://localhost:{self.port}", "Cookie": self.cookie, "X-Device-Key": self.key}
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise
        return answer.status, json.loads(data) if data.startswith(b"{") else {}

    def read(self, path):
        """A read until it is answered; notes how long that took."""
        began = time.monotonic()
        while True:
            try:
                status, answer = self.once("GET", path)
            except (OSError, http.client.HTTPException):
                status, answer = 0, {}
            if status == 200 or status not in (0, 502, 503, 504) or time.monotonic() > began + 30:
                break
            time.sleep(0.1)
        self.waits.append((began, time.monotonic() - began))
        if status != 200:
            self.faults.append((path, status, answer.get("code")))
        return answer if status == 200 else None

    def move(self):
        """Moves a cue; returns whether it was acknowledged, which an answer of 200 or 202 does."""
        stage = random.choice([one for one in STAGES if one != self.acknowledged])
        try:
            status, answer = self.once("POST", f"/api/cues/{self.cue}/stage", {"stage": stage})
        except (OSError, http.client.HTTPException):
            status, answer = 0, {}
        if status in (200, 202):
            self.acknowledged, self.doubtful = stage, set()
        elif status == 0:
            self.unanswered.add(stage)
        elif status in (409, 502, 503, 504):
            # Refused in passing: it was made or it was not. A conflict is with a move of this kind.
            self.doubtful.add(stage)
        else:
            self.faults.append(("stage", status, answer.get("code")))
        return status in (200, 202)

    def look(self):
        """Reads the cue, and counts an acknowledged move that is gone."""
        answer = self.read("/api/cues")
        if not answer:
            return
        if self.cue is None:
            self.cue = answer["cues"][0]["cue_id"]
        now = next(one["stage"] for one in answer["cues"] if one["cue_id"] == self.cue)
        if self.acknowledged and now != self.acknowledged and now not in self.doubtful | self.unanswered:
            self.lost += 1
        if now != self.acknowledged:
            self.acknowledged = now

    def use(self):
        """One call of a page."""
        self.turn += 1
        if self.cue is None or self.turn % 3 == 0:
            self.look()
        elif self.turn % 3 == 1:
            self.move()
        else:
            self.read(random.choice(("/api/state", "/api/account", "/api/network?limit=20")))


class Crowd:
    """The pages, each of which makes a call about every `pause` seconds, until it is told to stop."""

    def __init__(self, pages, pause, callers=24):
        self.pages, self.over = pages, threading.Event()

        def run(own):
            while not self.over.is_set():
                for page in own:
                    began = time.monotonic()
                    page.use()
                    if self.over.wait(max(0, pause / len(own) - (time.monotonic() - began))):
                        return
        self.threads = [threading.Thread(target=run, args=(pages[number::callers],)) for number in range(callers) if pages[number::callers]]
        for thread in self.threads:
            thread.start()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def summary(self, name, began=0.0):
        """Prints what the pages met since an instant, and forgets it; returns whether nothing was lost."""
        waits = sorted(wait for page in self.pages for at, wait in page.waits if at >= began)
        faults, lost = [fault for page in self.pages for fault in page.faults], sum(page.lost for page in self.pages)
        for page in self.pages:
            page.waits, page.faults, page.lost = [], [], 0
        p99, most = waits[len(waits) * 99 // 100] * 1000, waits[-1]
        print(f"{name}: {len(waits)} reads, p50 {statistics.median(waits) * 1000:.1f} ms, p99 {p99:.1f} ms, most {most:.2f} s; "
              f"errors {len(faults)} {sorted(set(map(str, faults)))[:4]}; acknowledged moves lost {lost}", flush=True)
        return p99, most, not faults and not lost


class Streams:
    """An open stream of each page, which is opened again when it ends."""

    def __init__(self, pages):
        self.over = False
        self.threads = [threading.Thread(target=self.run, args=(page,), daemon=True) for page in pages]
        for thread in self.threads:
            thread.start()

    def run(self, page):
        while not self.over:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=40)
                connection.request("GET", "/api/events", headers={
                    "Host": f"localhost:{page.port}", "Cookie": page.cookie, "X-Device-Key": page.key, "Accept": "text/event-stream"})
                answer = connection.getresponse()
                while not self.over and answer.status == 200 and answer.read1(65_536):
                    pass
                connection.close()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.2)


def signed_in(team, count):
    """The team's devices, signed in, as pages."""
    team.add(count)
    pages = [Page(team.port, person) for people in team.people for person in people]
    team.leave()
    for page in pages:
        page.look()
    return pages


def refreshes(pages):
    """How many refreshes of each device a backend has answered with new tokens."""
    counts = []
    for page in pages:
        answer = page.read("/api/network?endpoint=refresh_tokens&limit=100") or {"events": []}
        counts.append(sum(row.get("status") == 200 for row in answer["events"]))
    return counts


def signed_out_pages(pages):
    """Prints how many devices are not signed in, and what led to it; returns how many."""
    count = 0
    for page in pages:
        state = (page.read("/api/state") or {}).get("session", {})
        if state.get("state") == "authenticated":
            continue
        count += 1
        print(f"  {state}", flush=True)
        for row in (page.read("/api/network?endpoint=refresh_tokens&limit=100") or {"events": []})["events"][-5:]:
            print("   ", {name: row.get(name) for name in ("started_at", "state", "status", "duration_ms", "flow")}, flush=True)
    print(f"signed out: {count}", flush=True)
    return count


def rows(binary, kills, devices=200, crowd=250):
    """Prints the rows; returns whether all went on."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-devices-"))
    server = database.Server()
    backend = database.Backend(binary, root / "backend")
    database.Person.backend = backend
    is_good, team = True, None
    try:
        team = database.Team(binary, backend, server, root / "three", CONSOLES)
        pages = signed_in(team, crowd)
        streams, running = Streams(pages), Crowd(pages, pause=2)
        time.sleep(5)
        began = time.monotonic()
        time.sleep(20)
        p99, _, is_whole = running.summary(f"{crowd} devices with open pages, {CONSOLES} consoles", began)
        print(figures.judged(f"p99 of a page's read {p99:9.1f} ms", p99, 100, True), flush=True)
        running.end()
        streams.over = True
        is_good &= is_whole
        # As open pages have them: the stream brings a device back at once, long before the page's next call.
        streams = Streams(pages[:devices])
        is_good &= killed(team, backend, binary, pages[:devices], kills)
        is_good &= troubled(team, pages[:devices])
        streams.over = True
    finally:
        if team:
            team.stop()
        backend.stop()
        server.stop()
        shutil.rmtree(root, ignore_errors=True)
    return is_good


def settle(pages):
    """Waits until every page has been answered twice from now on."""
    now = time.monotonic()
    while any(sum(begun > now for begun, _ in list(page.waits)) < 2 for page in pages):
        assert time.monotonic() < now + 60, "a page is not answered"
        time.sleep(0.1)


def killed(team, backend, binary, pages, kills):
    """Kills a console with -9 again and again under the pages; at three of the kills all access tokens have expired."""
    before = refreshes(pages)
    for page in pages:
        page.waits = []
    expired = {kills * part // 4 for part in (1, 2, 3)}
    running, gaps = Crowd(pages, pause=2), []
    for number in range(kills):
        if number in expired:
            # A refresh whose answer a kill took is repeated within seconds. It must not become one of sixteen minutes ago.
            settle(pages)
            connection = backend.connect()
            connection.request("POST", "/dev/clock", json.dumps({"advance_seconds": 960}), {
                "Authorization": f"Bearer {backend.token}", "Content-Type": "application/json"})
            assert connection.getresponse().status == 200
        victim = number % CONSOLES
        at = time.monotonic()
        team.consoles[victim].process.kill()
        team.consoles[victim].process.wait()
        time.sleep(random.uniform(0.3, 1))
        team.restart(victim)
        team.balancer.wait_for(victim + 1)
        time.sleep(0.5)
        gaps.append(max((wait for page in pages for begun, wait in list(page.waits) if begun > at - 1), default=0))
    running.end()
    _, most, is_whole = running.summary(f"{len(pages)} devices, {kills} kills of one of {CONSOLES} consoles")
    made = [after - was for after, was in zip(refreshes(pages), before)]
    print(f"longest wait of any page behind a kill: median {statistics.median(gaps):.2f} s, most {max(gaps):.2f} s", flush=True)
    print(f"refreshes a device, one an expiry and one for each that was cut off: {min(made)} to {max(made)}, {sum(made)} in all", flush=True)
    signed_out = signed_out_pages(pages)
    return is_whole and signed_out == 0 and most < 10


def troubled(team, pages):
    """A console that is stopped for 20 s, connections that are cut, and a PostgreSQL that crashes and starts again."""
    running = Crowd(pages, pause=2)
    victim = team.consoles[0].process
    victim.send_signal(signal.SIGSTOP)
    time.sleep(20)
    victim.send_signal(signal.SIGCONT)
    time.sleep(5)
    is_whole = running.summary(f"{len(pages)} devices, a console stopped for 20 s")[2]
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    team.database.ask(f"SELECT pg_terminate_backend(pid) {others}")
    time.sleep(5)
    is_whole &= running.summary(f"{len(pages)} devices, all connections to PostgreSQL cut")[2]
    # PostgreSQL ends all connections, recovers and starts again when one of its processes dies.
    os.kill(int(team.database.ask(f"SELECT pid {others} LIMIT 1")[0]), signal.SIGKILL)
    time.sleep(8)
    is_whole &= running.summary(f"{len(pages)} devices, a crash of PostgreSQL")[2]
    running.end()
    signed_out = signed_out_pages(pages)
    return is_whole and signed_out == 0
