"""mitmweb with made flows, as a peer to measure beside."""

import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

MAKE = """
import sys
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow, tutils
with open(sys.argv[1], "wb") as file:
    writer = FlowWriter(file)
    for number in range(int(sys.argv[2])):
        name = ("me", "app_config", "get_cues", "refresh_tokens", "update_cue_stage", "login_with_code")[number % 6]
        flow = tflow.tflow(
            req=tutils.treq(method=(b"GET", b"POST")[number % 3 == 0], path=f"/rpc/{name}/{number % 400}".encode()),
            resp=tutils.tresp(status_code=503 if number % 9 == 0 else 200),
        )
        writer.add(flow)
"""


class Mitmweb:
    """A running mitmweb of a virtual environment, with so many flows loaded."""

    field = ".filter-input input[placeholder=Search]"

    def __init__(self, environment, count):
        """Makes the flows and starts it on a free port."""
        self.folder = tempfile.TemporaryDirectory()
        flows = Path(self.folder.name) / "flows"
        self.count = count
        subprocess.run([environment / "bin/python", "-c", MAKE, flows, str(count)], check=True)
        with socket.create_server(("127.0.0.1", 0)) as place:
            port = place.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/?token=measure"
        settings = ("--set", f"confdir={self.folder.name}", "--set", "web_password=measure")
        arguments = ["--no-web-open-browser", "--no-server", "--web-port", str(port), *settings, "-r", flows]
        self.process = subprocess.Popen([environment / "bin/mitmweb", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if str(port) in line:
                break
        self._wait()

    def _wait(self):
        """Waits until it answers: it reads its flows first, ten thousand of them for a minute or three, and is deaf meanwhile."""
        for _ in range(60):
            try:
                with urllib.request.urlopen(self.url, timeout=15):
                    return
            except OSError:
                continue
        raise SystemExit("mitmweb does not answer")

    def held(self, page):
        """Waits until it has loaded its flows."""
        page.wait_for_timeout(6000)

    def __enter__(self):
        """Gives itself."""
        return self

    def __exit__(self, *_):
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
