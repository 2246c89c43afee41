"""The program itself with a full network log, as a user meets it after a long session."""

import json
import sys
import tempfile
import threading
from pathlib import Path

from running_console import PROJECT, RunningConsole

sys.path.insert(0, str(PROJECT / "Tests/Soak"))
from console_process import Browser

CAPACITY = 20_000
CALLS = ("/api/cues", "/api/profiles", "/api/cues", "/api/account", "/api/profiles", "/api/profiles")
WORKERS = 4
SHELF = """({ url, device }) => {
  if (location.origin !== url) return;
  localStorage.setItem("understudy.devices", JSON.stringify([device]));
  sessionStorage.setItem("understudy.device", device.device_id);
}"""


class FilledConsole:
    """A console whose one device has recorded at least so many rows, some of them failures."""

    def __init__(self, count):
        """Starts the program and calls it until its log has the rows."""
        assert count <= CAPACITY
        self.folder = tempfile.TemporaryDirectory(prefix="understudy-filled-")
        self.running = RunningConsole(Path(self.folder.name) / "data", arguments=("--limits", "off"))
        self.url = self.running.url
        self.client = Browser(self.running.port)
        identifier = self.client.make_device("Phone 1")
        self.device = {"device_id": identifier, "device_key": self.client.key, "name": "Phone 1"}
        # The log is as long as the backend's configuration says.
        self._arm("/rpc/app_config", {"kind": "answer", "status": 200, "body": json.dumps({"network_log": {"capacity": CAPACITY}})})
        self.client.sign_in("filled@example.org")
        self._arm("/rpc/get_cues", {"kind": "status", "status": 503}, {"every": 7})
        self._fill(count)

    def _arm(self, path, action, when=None):
        rule = {"name": path, "match": {"path": path}, "action": action, "when": when or {}, "expires_in_seconds": 86_400}
        answer = self.client.call("POST", "/api/faults", rule)
        assert answer.status == 201, answer

    def _fill(self, count):
        """Calls until the log has so many rows."""

        def work(number):
            one = Browser(self.running.port, shares=self.client)
            one.key = self.client.key
            while not one.call("GET", f"/api/network?limit=1&after={count - 1}").json["events"]:
                for path in CALLS:
                    one.call("GET", path)
            one.close()

        workers = [threading.Thread(target=work, args=(number,)) for number in range(WORKERS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def admit(self, context):
        """Makes a browser context one that has the device."""
        context.add_cookies([{"name": name, "value": value, "url": self.url} for name, value in self.client.cookies.items()])
        context.add_init_script(f"({SHELF})({json.dumps({'url': self.url, 'device': self.device})})")

    def close(self):
        """Ends the program."""
        self.client.close()
        self.running.stop()
        self.folder.cleanup()
