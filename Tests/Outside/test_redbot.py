"""REDbot has no complaint about the answers: caching, negotiation, validation, ranges."""

import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize("path", ["/", "/style.css", "/script.js", "/picture.svg", "/picture.png", "/tiny"])
def test_redbot_has_no_warning(probe, path):
    """No note is a warning or worse, and there are notes."""
    command = [sys.executable, "-m", "redbot.cli", "--output-format", "har", probe.url + path]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=True)
    [entry] = json.loads(ran.stdout)["log"]["entries"]
    assert entry["response"]["status"] == 200
    notes = entry["_red_messages"]
    assert notes
    bad = [f"{note['level']} {note['note_id']} {note['subject']}: {note['summary']}" for note in notes if note["level"] not in ("GOOD", "INFO")]
    assert not bad, "\n".join(bad)
