"""The table of limits and `/metrics` agree in names and numbers."""

import re

from console_process import PROJECT, Browser
from moments import until

PAGE = PROJECT / "Documentation/limits.md"


def table():
    """The names of the page's rows with the text of their limits."""
    rows = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 5 and not set(cells[0]) <= {"-"} and cells[0] != "What":
            for name in re.findall(r"`([a-z0-9_]+)`", cells[2]):
                assert name not in rows, f"{name} stands twice"
                rows[name] = cells[1]
    return rows


def gauges(text):
    """Limits and what is used of them, by name."""
    found = {"limit": {}, "used": {}}
    for kind, name, value in re.findall(r'^understudy_(limit|used)\{name="([a-z0-9_]+)"\} (-?\d+)$', text, re.MULTILINE):
        assert name not in found[kind], f"{name} is given twice"
        found[kind][name] = int(value)
    return found["limit"], found["used"]


def stands(value, text):
    """Whether a page that says `text` says the number, in any of the ways in which it may."""
    shown = {f"{value:,}", f"{value >> 10:,} KiB", f"{value >> 20:,} MiB", f"{value} s", f"{value // 60} min"}
    return any(re.search(rf"(?<![\d,]){re.escape(way)}(?![\d,]\d)", text) for way in shown)


def test_every_limit_of_the_page_is_on_metrics_and_the_other_way_round(start):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.must("GET", "/api/cues")
    limits, used = gauges(console.text("/metrics"))
    page = table()
    assert len(page) > 35
    assert set(page) == set(limits)
    assert set(used) <= set(limits)
    for name, value in used.items():
        assert 0 <= value <= limits[name], (name, value, limits[name])
    # The rows' configured limit and the system's own are not fixed numbers.
    for name, text in page.items():
        assert name in ("network_rows", "unsaved_rows", "open_files") or stands(limits[name], text), (name, limits[name], text)


def test_what_is_used_moves(start):
    """The gauges change."""
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    before = gauges(console.text("/metrics"))[1]
    assert before["devices_awake"] == 1 and before["network_rows"] > 3 and before["connections"] >= 2
    assert before["embedded_messages"] == 1 and before["open_files"] > 10
    browser.must("GET", "/api/cues")
    rule = {"name": "slow", "match": {}, "when": {}, "action": {"kind": "latency", "latency_ms": 1}}
    assert browser.call("POST", "/api/faults", rule).status == 201
    for _ in range(3):
        Browser(console.port, shares=browser).make_device()
    browser.must("GET", "/api/account")

    def grown():
        used = gauges(console.text("/metrics"))[1]
        return used if used["network_rows"] > before["network_rows"] else None

    # Rows are recorded behind the calls.
    after = until(grown, "rows are recorded")
    assert after["fault_rules"] == 1 and after["devices_of_a_browser"] == 4
    assert after["network_rows"] > before["network_rows"] and after["timeline_entries"] > before["timeline_entries"]
    assert after["cache_memory_bytes"] > 0 and after["cache_disk_bytes"] > 0 and after["logged_body_bytes"] > 0
