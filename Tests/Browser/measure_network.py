#!/usr/bin/env python3
"""Measures the network page over the program's own log and over made rows, and mitmweb in the same rounds; prints a table.

usage: measure_network.py [--mitmweb FOLDER] [--seconds N] [--rounds N] [--minutes N]
FOLDER is the virtual environment that has mitmproxy; the seconds are how long rows arrive at 200 a second, 0 for not at all. The pages
take turns for so many rounds, after one that does not count; no round begins when so many minutes are over. The tables have the medians
of the rounds, and the ratios to mitmweb with the goals.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filled_console import FilledConsole
from frame_work import frame_work, percentile
from made_console import MadeConsole
from measure_mitmweb import Mitmweb
from page_goals import goals, lines
from playwright.sync_api import sync_playwright
from running_console import PROJECT

WATCH = """
window.longest = [];
new PerformanceObserver((list) => longest.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask" });
new MutationObserver((_, observer) => {
  const rows = document.querySelectorAll("[data-row], .flow-table tbody tr:not(:empty) td");
  if (!rows.length) return;
  observer.disconnect();
  // Tells of the frame that has the rows, whether a task or the frame itself made them; some lie beyond the edge of the view.
  const screen = new IntersectionObserver((entries) => {
    if (!entries.some((one) => one.isIntersecting)) return;
    window.firstRows = performance.now();
    screen.disconnect();
  });
  for (const row of rows) screen.observe(row);
}).observe(document, { subtree: true, childList: true });
"""
SCROLL = """async ([selector, frames, step]) => {
  const place = document.querySelector(selector);
  place.scrollTop = 0;
  let most = 0;
  for (let frame = 0; frame < frames; frame += 1) {
    place.scrollTop += step;
    await new Promise((done) => requestAnimationFrame(done));
    most = Math.max(most, document.querySelectorAll(".grid-window > *, .flow-table tbody tr").length);
  }
  return most;
}"""
TYPE = """async ([selector, texts]) => {
  const input = document.querySelector(selector);
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const took = [];
  for (const text of texts) {
    const begin = performance.now();
    set.call(input, text);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    took.push(performance.now() - begin);
    await new Promise((done) => setTimeout(done, 60));
  }
  return took;
}"""
FOLLOW = """() => {
  window.seen = [];
  let highest = 0;
  const look = () => {
    // The order of the document follows that of the screen as soon as the view rests.
    const last = Math.max(0, ...Array.from(document.querySelectorAll("[data-row] .c-seq"), (cell) => Number(cell.textContent)));
    if (last > highest) seen.push([highest = last, Date.now()]);
    requestAnimationFrame(look);
  };
  look();
}"""
HOLDS = "(count) => document.querySelector('network-grid')?.store?.count >= count"


def until(page, condition, argument=None):
    """Polls in Python, as the page's policy forbids evaluating text."""
    for _ in range(600):
        if page.evaluate(condition, argument):
            return
        page.wait_for_timeout(50)
    raise SystemExit(f"did not come true: {condition}")


def heap(session):
    """Megabytes of the script's heap and of array buffers outside it, after a collection."""
    session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return usage["usedSize"] / 1e6, usage.get("backingStorageSize", 0) / 1e6


def grid_figures(browser, url, scroller, field, texts, held, admit=lambda context: None):
    """First rows, scrolling, heap, rows in the DOM and filter of one page."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    admit(context)
    page = context.new_page()
    # A tab that opens, and the script that asks it, take processor time of their own.
    page.wait_for_timeout(500)
    page.goto(url, wait_until="commit", timeout=180_000)
    page.wait_for_timeout(1000)
    until(page, "() => window.firstRows !== undefined")
    held(page)
    session = context.new_cdp_session(page)
    first = page.evaluate("firstRows")
    page.wait_for_timeout(1000)
    rows, wall, thread = frame_work(browser, page, lambda: page.evaluate(SCROLL, [scroller, 150, 120]))
    used, outside = heap(session)
    if field:
        # Who types has the focus there, at which the page loads its filter.
        page.locator(field).click()
        page.wait_for_timeout(1000)
    took = page.evaluate(TYPE, [field, texts]) if field else []
    context.close()
    return first, wall, thread, used, outside, rows, percentile(took, 0.95)


def typed(*texts):
    """Every state of a field while the texts are typed."""
    return [text[:length] for text in texts for length in range(1, len(text) + 1)]


FILTERS = typed("status:>=500", "path:/rpc/*/1", "-(method:POST | is:cached)", "refresh")
PEER_FILTERS = typed("~u refresh", "~c 503")


def filled_figures(browser, filled, count):
    """The network page of the program itself, whose log has so many rows."""
    held = lambda page: until(page, HOLDS, count)
    return grid_figures(browser, f"{filled.url}/network", "#network-grid", "#filter", FILTERS, held, filled.admit)


def made_figures(browser, count):
    """The network page over so many rows."""
    made = MadeConsole(count)
    try:
        return grid_figures(browser, f"{made.url}/network", "#network-grid", "#filter", FILTERS, lambda page: until(page, HOLDS, count))
    finally:
        made.stop()


def body_figures(browser):
    """A JSON body of 10 MB: from the click on its tab to the painted tree, and to an opened node."""
    made = MadeConsole(20)
    item = {"id": 12345678901234567, "name": "somebody of note", "tags": ["a", "b", "c"], "nested": {"deep": [1, 2, 3]}}
    identifier = json.loads(made.rows[9])["id"]
    made.bodies[identifier] = json.dumps({"data": [item] * (10_000_000 // len(json.dumps(item)))})
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(f"{made.url}/network?row={identifier}")
    page.locator("#tab-response").wait_for()
    page.wait_for_timeout(1500)
    took = page.evaluate("""async () => {
      const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const timed = async (work) => { const begin = performance.now(); work(); await painted(); return performance.now() - begin; };
      const shown = await timed(() => document.querySelector("#tab-response").click());
      const opened = await timed(() => document.querySelectorAll("[role=treeitem] [role=treeitem]")[0].querySelector(".tree-line").click());
      const part = await timed(() => document.querySelectorAll("[role=treeitem][aria-expanded=false]")[60].querySelector(".tree-line").click());
      return [shown, opened, part];
    }""")
    context.close()
    made.stop()
    return took


def live_figures(browser, seconds, count=10_000):
    """200 rows a second: lost rows, milliseconds from sending to the pixel, long tasks."""
    made = MadeConsole(count)
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(f"{made.url}/network")
    until(page, HOLDS, count)
    page.wait_for_timeout(1000)
    page.evaluate(FOLLOW)
    page.evaluate("() => { longest.length = 0; }")
    sent = {}
    sender = threading.Thread(target=lambda: sent.update(made.emit(200 * seconds, 200)))
    sender.start()
    while sender.is_alive():
        page.wait_for_timeout(500)
    page.wait_for_timeout(1500)
    seen, longest = page.evaluate("seen"), page.evaluate("longest")
    lost = count + len(sent) - page.evaluate("document.querySelector('network-grid').store.count")
    at, delays = 0, []
    for seq in sorted(sent):
        while at < len(seen) and seen[at][0] < seq:
            at += 1
        if at < len(seen):
            delays.append(seen[at][1] - sent[seq])
    context.close()
    made.stop()
    return lost, percentile(delays, 0.5), percentile(delays, 0.95), len(longest), max(longest, default=0)


def live(browser, seconds):
    """Measures rows that arrive, and prints."""
    lost, median, most, tasks, longest = live_figures(browser, seconds)
    tell(f"200 rows/s for {seconds} s: {lost} lost, event to pixel {median:.0f} ms median, {most:.0f} ms p95")
    tell(f"{tasks} tasks over 50 ms (longest {longest:.0f} ms)")


def tell(text):
    """Prints a figure as soon as it is there."""
    print(text, flush=True)


def line(cells):
    """Prints a line of the table."""
    tell(f"{cells[0]:22}" + "".join(f"{cell:>18}" for cell in cells[1:]))


def table(browser, mitmweb, rounds, deadline):
    """Measures the pages in turns and prints the medians; the first page of a browser pays for its start, so no page is the first."""
    made_figures(browser, 1000)
    own, made, other = "program, 10,000 rows", "made, 100,000 rows", "mitmweb, 10,000 flows"
    measured = {own: [], made: []}
    with contextlib.ExitStack() as stack:
        # mitmweb reads its flows for up to minutes: the log is filled meanwhile.
        with ThreadPoolExecutor() as pool:
            starting = pool.submit(Mitmweb, mitmweb, 10_000) if mitmweb else None
            filled = stack.enter_context(contextlib.closing(FilledConsole(10_000)))
            peer = stack.enter_context(starting.result()) if starting else None
        while len(measured[own]) < rounds and (time.monotonic() < deadline or not measured[own]):
            measured[own].append(filled_figures(browser, filled, 10_000))
            measured[made].append(made_figures(browser, 100_000))
            if peer:
                figures = grid_figures(browser, peer.url, ".flow-table", peer.field, PEER_FILTERS, peer.held)
                measured.setdefault(other, []).append(figures)
    tell(f"medians of {len(measured[own])} rounds of {rounds}")
    line(["", "first rows", "scroll, a frame", "thread time p95", "heap + buffers", "rows in DOM", "filter p95"])
    for label, figures in measured.items():
        first, wall, thread, used, outside, rows, took = (statistics.median(column) for column in zip(*figures))
        line([label, f"{first:.0f} ms", f"{wall:.1f} ms", f"{thread:.1f} ms", f"{used:.1f} + {outside:.1f} MB", f"{rows:.0f}", f"{took:.0f} ms"])
    if peer:
        for text in lines(goals(measured[own], measured[made], measured[other])):
            tell(text)


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mitmweb", type=Path)
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=4)
    options = parser.parse_args()
    deadline = time.monotonic() + options.minutes * 60
    chromium = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        shown, opened, part = body_figures(browser)
        tell(f"10 MB JSON: first paint {shown:.0f} ms, expanding 100,000 items {opened:.0f} ms, expanding an item {part:.0f} ms")
        table(browser, options.mitmweb, options.rounds, deadline)
        if options.seconds:
            live(browser, options.seconds)
        browser.close()


if __name__ == "__main__":
    main()
