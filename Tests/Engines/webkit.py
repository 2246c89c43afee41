"""WebKitGTK, driven over WebDriver on a display that nobody sees."""

import json
import os
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from moments import until
from person import MovedError
from pointer_actions import PointerActions

SECONDS = 30


class RefusedError(Exception):
    """WebKit did not do what a command says."""


class WebKit:
    """A WebDriver of WebKitGTK; each `profile` is a browser of its own."""

    def __init__(self):
        """Starts a display and the driver."""
        self.processes = []
        read, write = os.pipe()
        self.start("Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24", "-nolisten", "tcp", pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as told:
            display = told.readline().strip()
        assert display, "Xvfb did not start"
        with socket.create_server(("127.0.0.1", 0)) as place:
            port = place.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        # Without a bus and a GPU; what it would ask them for is not under test.
        quiet = {
            "DISPLAY": f":{display}", "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        }
        self.start("WebKitWebDriver", "--host=127.0.0.1", f"--port={port}", env=os.environ | quiet)
        self.wait()

    def start(self, *command, **options):
        """Starts a process that ends with this one."""
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.processes.append(subprocess.Popen(command, **quiet, **options))

    def wait(self):
        """Waits until the driver listens."""

        def is_listening():
            try:
                return self.call("GET", "/status")
            except OSError:
                return None

        until(is_listening, "WebKitWebDriver listens", SECONDS)

    def call(self, method, path, body=None):
        """Sends a command and gives its result."""
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, method=method, data=data)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RefusedError(f"{path}: {error.read().decode()[:500]}") from None

    def profile(self, width, height):
        """A tab in an empty profile."""
        browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"))
        options = {"webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        return WebKitTab(self, session, width, height)

    def stop(self):
        """Ends the driver, then the display."""
        for process in reversed(self.processes):
            process.terminate()
            process.wait(timeout=SECONDS)


class WebKitTab(PointerActions):
    """The one tab of a browser."""

    def __init__(self, driver, session, width, height):
        """Wraps the session and makes the page as large as wanted."""
        self.driver, self.path, self.errors = driver, f"/session/{session}", []
        # The first size is of the window, with its bar.
        self.resize(width, height)
        inner = self.run("() => [innerWidth, innerHeight]", None)
        self.resize(2 * width - inner[0], 2 * height - inner[1])

    def resize(self, width, height):
        """Gives the window a size."""
        self.driver.call("POST", f"{self.path}/window/rect", {"width": width, "height": height})

    def go(self, address):
        """Opens an address, as one typed into the address field."""
        self.driver.call("POST", f"{self.path}/url", {"url": address})

    def run(self, function, argument):
        """Calls a JavaScript function that reads the page; gives its result."""
        script = f"return JSON.stringify(({function})(JSON.parse(arguments[0])))"
        try:
            found = self.driver.call("POST", f"{self.path}/execute/sync", {"script": script, "args": [json.dumps(argument)]})
        except RefusedError as error:
            raise MovedError(error) from None
        return json.loads(found or "null")

    def perform(self, source):
        """Performs the actions of one input device."""
        self.driver.call("POST", f"{self.path}/actions", {"actions": [source]})

    def close(self):
        """Ends the browser."""
        request = urllib.request.Request(self.driver.address + self.path, method="DELETE")
        urllib.request.urlopen(request, timeout=SECONDS).close()
