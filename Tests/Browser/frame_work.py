"""The main thread's work for each frame, from a trace of Chromium."""

import bisect
import json
import statistics

TRACED = [
    "__metadata", "devtools.timeline", "devtools.timeline.frame", "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
]


def percentile(values, share):
    """The value below which that share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def frame_work(browser, page, work):
    """Runs the work under a trace: main-thread milliseconds of each frame (average) and of its thread time (95 %)."""
    browser.start_tracing(page=page, categories=TRACED)
    result = work()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(one["pid"], one["tid"]) for one in events if one.get("name") == "thread_name" and one["args"].get("name") == "CrRendererMain"}
    starts, tasks = {}, {}
    for one in events:
        key = (one.get("pid"), one.get("tid"))
        if key not in main:
            continue
        if one["name"] == "BeginMainThreadFrame":
            starts.setdefault(key, []).append(one["ts"])
        elif one["name"] == "RunTask" and one.get("ph") == "X":
            tasks.setdefault(key, []).append((one["ts"], one["dur"] / 1000, one.get("tdur", one["dur"]) / 1000))
    busiest = max(starts, key=lambda key: len(starts[key]))
    begins = sorted(starts[busiest])
    wall, thread = [0.0] * len(begins), [0.0] * len(begins)
    # A task belongs to the last frame that begins before it ends; tasks within tasks do not count twice.
    end = 0
    for start, duration, cpu in sorted(tasks[busiest], key=lambda one: (one[0], -one[1])):
        if start < end:
            continue
        end = start + duration * 1000
        frame = bisect.bisect_right(begins, end) - 1
        if frame >= 0:
            wall[frame] += duration
            thread[frame] += cpu
    return result, statistics.mean(wall), percentile(thread, 0.95)
