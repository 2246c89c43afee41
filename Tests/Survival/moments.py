"""Waiting for what happens in another process."""

import time


def until(condition, what, seconds=20):
    """Asks again and again; fails with `what` if the condition does not hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not in {seconds} s: {what}"
        time.sleep(0.02)
