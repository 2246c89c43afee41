"""haproxy before several consoles, with the file that Packaging has."""

import http.client
import re
import shutil
import socket
import subprocess

from console_process import PROJECT
from moments import until
from processes import start_program

HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/bin")


class Balancer:
    """haproxy with the configuration that Packaging has, on 127.0.0.1 without TLS, before consoles of this machine."""

    def __init__(self, port, consoles, folder, edit=lambda text: text):
        """On that port, before the consoles on those ports; the folder gets its file and socket; `edit` changes the file first."""
        self.port, self.count = port, len(consoles)
        text = edit((PROJECT / "Packaging/haproxy.cfg").read_text())
        # As many lines as there are consoles, each like those of the file.
        text, count = re.subn(r"(?m)^    server console\d CONSOLE\d\.EXAMPLE:8080\n?", "", text)
        assert count == 2
        text += "".join(f"    server console{number} 127.0.0.1:{console}\n" for number, console in enumerate(consoles, 1))
        # The name that the checks ask for, and an address without TLS, which the test of the file as it is covers.
        text = text.replace("hdr Host CONSOLE.EXAMPLE", f"hdr Host localhost:{port}")
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{port}", text)
        self.socket = str(folder / "haproxy")
        text = text.replace("    maxconn 4000\n", f"    maxconn 4000\n    stats socket {self.socket}\n")
        self.file = folder / "haproxy.cfg"
        self.file.write_text(text)
        self.start()

    def start(self):
        """Starts it, and waits until it sends calls to a console."""
        self.process = start_program([HAPROXY, "-db", "-f", self.file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.is_ready, "haproxy sends calls to a console")

    def is_ready(self):
        """Whether a console behind it answers that it is ready."""
        assert self.process.poll() is None, "haproxy has ended"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz", headers={"Host": f"localhost:{self.port}"})
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def is_up(self, number):
        """Whether it sends calls to a console."""
        with socket.socket(socket.AF_UNIX) as ask:
            ask.connect(self.socket)
            ask.sendall(b"show stat\n")
            answer = b"".join(iter(lambda: ask.recv(65536), b"")).decode()
        line = next(line.split(",") for line in answer.splitlines() if line.startswith(f"consoles,console{number},"))
        return line[17] == "UP"

    def wait_for(self, number):
        """Waits until it sends calls to a console."""
        until(lambda: self.is_up(number), f"haproxy sends calls to console {number}", 60)

    def wait_for_all(self):
        """Waits until it sends calls to every console."""
        for number in range(1, self.count + 1):
            self.wait_for(number)

    def stop(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait(10)
