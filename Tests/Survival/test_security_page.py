"""Every test and file that SECURITY.md names exists."""

import re

from console_process import PROJECT

PAGE = PROJECT / "SECURITY.md"
# What the page may name: a Swift test or suite, a Python file, or a path of the project.
KINDS = (r"[a-z]\w{12,}", r"\w+Tests", r"test_\w+\.py", r"(Tests|Scripts|Documentation|Packaging)/[\w./*-]+", r"\w+Tests\.\w+")


def named():
    """The names in the last column of the page's tables."""
    for line in PAGE.read_text().splitlines():
        if line.startswith("|"):
            cell = line.rstrip("| ").rsplit("|", 1)[-1]
            yield from (name for name in re.findall(r"`([^`]+)`", cell) if any(re.fullmatch(kind, name) for kind in KINDS))


def exists(name, declared, files):
    """Whether the project has it."""
    if "/" in name:
        return bool(list(PROJECT.glob(name)))
    if name.endswith(".py"):
        return name in files
    if (PROJECT / "Tests" / name).is_dir():
        return True
    return set(name.split(".")) <= declared


def test_every_test_that_the_page_names_is_there():
    names = set(named())
    declared = set()
    for path in (PROJECT / "Tests").rglob("*.swift"):
        declared |= set(re.findall(r"\b(?:func|struct|class|enum|extension|suite|actor) (\w+)", path.read_text()))
    files = {path.name for path in (PROJECT / "Tests").rglob("*.py")}
    assert len(names) > 100
    assert [name for name in sorted(names) if not exists(name, declared, files)] == []


def test_every_item_of_the_standard_stands_once():
    rows = re.findall(r"^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \|", PAGE.read_text(), re.MULTILINE)
    items = [item for row in rows for item in row.split(", ")]
    assert len(items) > 120 and len(items) == len(set(items))
