"""The page with the results of the mutants, as a table with a column for each of two suites."""

import re

COLUMNS = ("before", "after")
HEAD = "| Mutant | Promise | Noticed before by | Noticed after by |"
START = """# Mutants

A mutant is a small deliberate fault in a page or in the program. It breaks one promise, and at least one of its test files must fail.
The table names the first test that fails; "not noticed" means that its test files pass although the promise is broken.

`Tests/Mutants` has the mutants. `Scripts/verify/mutants --table Documentation/mutants.md` runs them and renews the last column. For
comparison, the column before it has the results of the suite at commit 18c1751.
"""


def read(lines):
    """The results of each mutant by column."""
    found = {}
    for line in lines:
        if cells := re.fullmatch(r"\| `([a-z0-9-]+)` \|.*\| ([^|]*) \| ([^|]*) \|", line):
            found[cells[1]] = {"before": cells[2].strip(), "after": cells[3].strip()}
    return found


def known(file):
    """The tests that noticed each mutant in earlier runs, by its id, newest first."""
    lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    return {name: [cells["after"], cells["before"]] for name, cells in read(lines).items()}


def fill(file, column, mutants, results):
    """Writes results into a column; keeps the other column, other results, and everything around the table."""
    lines = (file.read_text(encoding="utf-8") if file.is_file() else START).rstrip("\n").split("\n")
    kept, first = read(lines), lines.index(HEAD) if HEAD in lines else len(lines) + 1
    around = [[line for line in part if not line.startswith("|")] for part in (lines[:first], lines[first:])]
    table = [HEAD, "|---|---|---|---|"]
    for mutant in mutants:
        cells = {name: kept.get(mutant.id, {}).get(name, "") for name in COLUMNS}
        if mutant.id in results:
            cells[column] = results[mutant.id].replace("|", "/").replace("NOT NOTICED", "not noticed")
        table.append(f"| `{mutant.id}` | {mutant.promise} | {cells['before']} | {cells['after']} |")
    before, after = "\n".join(around[0]).rstrip("\n"), "\n".join(around[1]).strip("\n")
    file.write_text(f"{before}\n\n" + "\n".join(table) + "\n" + (f"\n{after}\n" if after else ""), encoding="utf-8")
