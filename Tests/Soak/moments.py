"""Waiting for what happens in another process; no other module of the tests sleeps."""

import time

# The time between two looks, in seconds.
PAUSE = 0.02


def until(condition, what, seconds=30):
    """Returns the condition's first true value; fails with `what` if none comes in time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not in {seconds} s: {what() if callable(what) else what}"
        time.sleep(PAUSE)
    return found


def holds(condition, what, seconds):
    """Fails with `what` as soon as the condition does not hold; returns when it held for that long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert condition(), what
        time.sleep(PAUSE)


def pass_by(seconds):
    """Lets time pass in which a test watches what a process does by itself, such as its use of the processor."""
    time.sleep(seconds)
