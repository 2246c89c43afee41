"""The probe under test, in its own process with its own folder."""

import os
import queue
import re
import signal
import struct
import subprocess
import threading
import zlib
from pathlib import Path

from processes import start_program

PROJECT = Path(__file__).resolve().parents[2]
READY = re.compile(r"^probe ready (https?)://127\.0\.0\.1:(\d+)")


def binary():
    """Returns the program's path: from the environment, or else the release build."""
    return Path(os.environ.get("PROBE_BINARY", PROJECT / ".build/release/probe")).resolve()


def picture(side=64):
    """Returns a square grey PNG of incompressible noise."""
    rows = b"".join(b"\0" + bytes((x * y * 31 + x * 17) % 251 for x in range(side)) for y in range(side))
    parts = {b"IHDR": struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0), b"IDAT": zlib.compress(rows), b"IEND": b""}
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def make_folder(folder):
    """Writes the files that the suites request."""
    folder.mkdir()
    text = "".join(f"line {number % 10_000:04}\n" for number in range(30_000))
    for name, content in {
        "index.html": "<!doctype html><html lang=en><title>Probe</title><p>" + "A page of some length. " * 100,
        "style.css": "p { color: black }\n" * 200,
        "script.js": "export const answer = 42;\n" * 200,
        "picture.svg": '<svg xmlns="http://www.w3.org/2000/svg">' + '<rect width="9" height="9"/>' * 100 + "</svg>\n",
        "large.txt": text, "empty.txt": "", ".hidden": "secret\n",
    }.items():
        (folder / name).write_text(content)
    (folder / "picture.png").write_bytes(picture())
    return folder


class ProbeServer:
    """`probe` on a free port; `log` has the lines of its standard error."""

    def __init__(self, root, *arguments, environment=None):
        """Starts it with these flags, in this environment or the current one, and waits for the ready line."""
        self.log = []
        self.process = start_program(
            [binary(), "--port", 0, "--root", root, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=environment)
        lines = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(self.process.stdout, lines.put), daemon=True).start()
        self._reader = threading.Thread(target=self._read, args=(self.process.stderr, self.log.append), daemon=True)
        self._reader.start()
        found = READY.match(lines.get(timeout=60) or "")
        assert found, f"no ready line: {''.join(self.log[-20:])}"
        self.scheme, self.port = found[1], int(found[2])
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"

    def _read(self, stream, keep):
        with stream:
            for line in stream:
                keep(line)
        if stream is self.process.stdout:
            keep("")

    def stop(self):
        """Stops it and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the probe did not end within 15 s of SIGTERM") from None
        self._reader.join(timeout=5)
        return code
