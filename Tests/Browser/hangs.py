"""Where a test that hangs is."""

import gc
import os
import signal
import sys
import traceback
from pathlib import Path

from greenlet import greenlet
from running_console import PROJECT


def end_worker(name):
    """Adds every stack of this process to the stage's list of hangs, and ends the process with 1 and its children with it."""
    # The driver's event loop has the thread: the test itself waits in a greenlet beside it.
    waiting = [found.gr_frame for found in gc.get_objects() if isinstance(found, greenlet) and found.gr_frame]
    with open(PROJECT / ".build/test/browser-hangs.txt", "a") as file:
        for frame in [*sys._current_frames().values(), *waiting]:
            file.write(f"\n{name}\n{''.join(traceback.format_stack(frame))}")
    # Neither a console nor the browser outlives it.
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)
    os._exit(1)
