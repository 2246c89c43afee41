#!/usr/bin/env python3
"""Measures what each page costs and how fast it answers a person; prints two tables, a mark before what misses its goal.

usage: measure_pages.py [ROUNDS]
The processor is slowed down four times. A page: the median of ROUNDS (5) cold loads. An interaction: event to next frame, by
Event Timing, over the flows that a tester walks; with 0 rounds nothing else is measured. As INP has it, of every fifty interactions
the slowest is left out, and those that took less than a frame count as fast.
"""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import expect, sync_playwright
from running_console import PROJECT, RunningConsole
from steps import Clicks, expect_live, new_identifier, open_inbox
from test_weight import cost
from watched_context import WatchedContext

SLOWER = 4
LCP, READY, CLS, INTERACTION = 1000, 1200, 0.01, 100
OUTSIDE = {"/login": 40_000, "/callback#token=nonenone": 40_000}
INSIDE = {path: 90_000 for path in ("/settings", "/profiles", "/cues", "/delete-account", "/network", "/timeline", "/inbox")}
WATCH = """
window.seen = { lcp: 0, cls: 0, events: [] };
const watch = (type, take, more) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...more });
watch("largest-contentful-paint", (entry) => { seen.lcp = entry.startTime; });
watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.cls += entry.value; });
watch("event", (entry) => { if (entry.interactionId) seen.events.push([entry.name, entry.duration, entry.target?.id ?? entry.target?.className ?? "", entry.interactionId]); },
  { durationThreshold: 16 });
document.addEventListener("DOMContentLoaded", () => {
  const done = () => {
    // What a page brings once it rests, or at the first press, is not waited for.
    if (document.querySelector("[aria-busy='true'], :not(:defined, [hidden], [hidden] *, network-histogram, network-console)") || document.documentElement.dataset.waiting !== undefined) return;
    seen.ready ??= performance.now();
  };
  new MutationObserver(done).observe(document.documentElement, { attributes: true, childList: true, subtree: true });
  done();
});
"""
RESTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


def slow(page):
    """Slows the page's processor down."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    return session


def load(page, path):
    """One cold load: (largest paint, ready, shift)."""
    page.goto("about:blank")
    session = slow(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(path)
    expect_live(page)
    expect(page.locator("[aria-busy='true']")).to_have_count(0)
    page.evaluate(RESTED)
    found = page.evaluate("seen")
    session.detach()
    return found["lcp"], found.get("ready") or float("nan"), found["cls"]


def mark(value, goal):
    """A value with a mark before it where it misses its goal."""
    return f"{'!' if value > goal else ' '}{value:8.3f}" if goal < 1 else f"{'!' if value > goal else ' '}{value:8.0f}"


def measure(page, pages, rounds):
    """Prints a line a page."""
    for path, limit in pages.items() if rounds else ():
        found = [load(page, path) for _ in range(rounds)]
        lcp, ready, shift = (statistics.median(one) for one in zip(*found, strict=True))
        page.goto("about:blank")
        size, count = cost(page, path)
        print(f"{path.split('#')[0]:18}{mark(lcp, LCP)}{mark(ready, READY)}{mark(shift, CLS)}{mark(size, limit)}{mark(count, 25)}", flush=True)


def collect(page, flow, found):
    """Keeps the interactions of a page before it is left."""
    page.evaluate(RESTED)
    longest = {}
    for name, duration, target, interaction in page.evaluate("seen.events"):
        if duration > longest.get(interaction, (0,))[0]:
            longest[interaction] = (duration, f"{flow}: {name} {target}")
    found += longest.values()
    # What took less than a frame has no entry, but was counted.
    fast = page.evaluate("() => { seen.events = []; const more = performance.interactionCount - (seen.counted ?? 0); seen.counted = performance.interactionCount; return more; }")
    found += [(0, f"{flow}: within a frame")] * max(0, fast - len(longest))


def keys(page, found, *pressed):
    """Presses keys one after the other."""
    for key in pressed:
        page.keyboard.press(key)
        collect(page, f"{urlsplit(page.url).path} {key}", found)


def sign_in(page, found):
    """Signing in by a code, typed and pasted."""
    page.goto("/login")
    slow(page)
    expect_live(page)
    page.locator("#identifier").click()
    page.keyboard.type(new_identifier())
    page.locator("#send-code").click()
    expect(page.locator("#code")).to_be_visible()
    collect(page, "asking", found)
    inbox = open_inbox(page, Clicks())
    slow(inbox)
    inbox.locator("#copy-code").click()
    expect(inbox.locator("#copy-code[data-copied]")).to_be_visible()
    collect(inbox, "inbox", found)
    if inbox is page:
        page.go_back()
    else:
        inbox.close()
        page.bring_to_front()
    page.locator("#code").click()
    page.keyboard.press("Control+V")
    page.wait_for_url("**/settings*")
    expect(page.locator("[data-view=ready]").first).to_be_visible()


def walk(page, found):
    """The flows of somebody who is signed in."""
    keys(page, found, "Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type("profiles")
    keys(page, found, "Escape", "?")
    expect(page.locator("#shortcuts")).to_be_visible()
    keys(page, found, "Escape", "d")
    expect(page.locator("#devices")).to_be_visible()
    keys(page, found, "Escape", "t", "t", "t", "Shift+P", "Shift+P")
    page.locator("#refresh-session").click()
    expect(page.locator("#session-result")).to_have_attribute("data-tone", "ok")
    page.locator("#analytics").click()
    expect(page.locator("#analytics-result")).to_be_visible()
    page.locator("#sign-out").click()
    keys(page, found, "Escape")
    collect(page, "settings", found)
    page.goto("/cues")
    slow(page)
    expect(page.locator(".cue").first).to_be_visible()
    page.locator(".cue").first.focus()
    keys(page, found, "ArrowDown", "ArrowDown", "Shift+ArrowRight", "Shift+ArrowRight", "u", "u", "m", "Escape", "s")
    page.locator("#cue-filter").click()
    page.keyboard.type("meal", delay=30)
    page.locator(".cue-menu").first.click()
    page.get_by_role("menuitemradio").nth(2).click()
    expect(page.locator("#cues-result")).to_be_visible()
    collect(page, "cues", found)
    page.goto("/profiles")
    slow(page)
    expect(page.locator("#profile-list")).to_be_visible()
    page.locator("#profile-filter").click()
    page.keyboard.type("eng", delay=30)
    page.locator("#create-profile").click()
    expect(page.locator("#profiles-result")).to_be_visible()
    collect(page, "profiles", found)
    page.goto("/timeline")
    slow(page)
    expect(page.locator("#entries tr").first).to_be_visible()
    keys(page, found, "j", "j", "j", "k")
    for kind in ("analytics", "fault", "session"):
        page.locator(f"label.kind:has(#kind-{kind})").click()
    page.locator("#machine-table summary").click()
    collect(page, "timeline", found)
    page.goto("/delete-account")
    slow(page)
    page.locator("#open-deletion").click()
    page.locator("#deletion-word").click()
    page.keyboard.type("REMOVE")
    page.keyboard.press("Enter")
    expect(page.locator("#deletion-error")).to_have_text("The word does not match. Type it exactly as shown.")
    collect(page, "deletion", found)


def main(rounds):
    """Prints the table of the pages, then what the interactions took."""
    chromium = subprocess.run([PROJECT / "Scripts/lib/find-chromium"], capture_output=True, text=True, check=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as data:
        browser = playwright.chromium.launch(executable_path=Path(chromium.stdout.strip()), args=["--no-sandbox"])
        console = RunningConsole(data, arguments=("--limits", "off"))
        context = WatchedContext(browser, console)
        context.expect_answers(422)
        context.context.add_init_script(WATCH)
        page, found = context.page("/login"), []
        print(f"{'page':18}{'LCP ms':>9}{'ready ms':>9}{'CLS':>9}{'bytes':>9}{'files':>9}   at {SLOWER} × slow-down, median of {rounds}")
        expect_live(page)
        measure(page, OUTSIDE, rounds)
        sign_in(page, found)
        walk(page, found)
        measure(page, INSIDE, rounds)
        found.sort(reverse=True)
        slowest = found[len(found) // 50][0] if found else 0
        print(f"\n{len(found)} interactions: p98 {mark(slowest, INTERACTION).strip()} ms (goal {INTERACTION})")
        for duration, what in found[:10]:
            print(f"  {duration:6.0f} ms  {what}")
        context.complaints.clear()
        context.close()
        console.stop()
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
