"""mitmproxy between a client and a server, which writes a HAR when it ends."""

import contextlib
import http.client
import os
import subprocess
from pathlib import Path

from moments import until
from ports import next_port
from processes import start_program

PROJECT = Path(__file__).resolve().parents[2]


def _answers(port):
    """Whether something accepts connections there, without a request that would be recorded."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.connect()
        return True
    except OSError:
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def recording(server, file):
    """The address at which clients reach the server by way of the proxy; `file` is there when the block has ended."""
    program = os.environ.get("MITMDUMP") or PROJECT / ".build/venv-recorder/bin/mitmdump"
    port = next_port()
    command = (
        program, "--quiet", "--mode", f"reverse:http://127.0.0.1:{server.port}", "--listen-host", "127.0.0.1", "--listen-port", port,
        "--set", f"confdir={file.parent}", "--set", f"hardump={file}",
    )
    log = file.with_suffix(".log")
    with log.open("wb") as output:
        process = start_program(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        until(lambda: process.poll() is not None or _answers(port), "the proxy listens")
        assert process.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
    assert file.exists(), log.read_text()
