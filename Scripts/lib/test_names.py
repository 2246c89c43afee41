"""Checks that a new test's name says condition and result in at most eight words. Older names are longer: their number may only fall."""

import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
WORDS = 8
# How many names of each kind were longer when the rule was made. Lower it when you rename one.
KEPT = {"swift": 813, "py": 387}
# Attributes may stand on lines of their own between `@Test` and the function.
DECLARED = {"swift": r"@Test\b(?:(?!\bfunc\b)[\s\S])*?\bfunc\s+`?(\w+)", "py": r"^def (test_\w+)"}


def words(name):
    """The number of words of a name in camel case or with underscores; a number counts as one, or with the letters before it, `test_` as none."""
    return len(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+\d*|\d+", name.removeprefix("test_")))


def long_names(kind, texts):
    """The names of tests that have too many words, with their files."""
    return [(file, name) for file, text in texts for name in re.findall(DECLARED[kind], text, re.M) if words(name) > WORDS]


def main():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "Tests"], cwd=PROJECT, capture_output=True, text=True, check=True)
    files = [name for name in listed.stdout.splitlines() if (PROJECT / name).is_file()]
    failed = False
    for kind, kept in KEPT.items():
        found = long_names(kind, [(name, (PROJECT / name).read_text()) for name in files if name.endswith(f".{kind}")])
        if len(found) > kept:
            failed = True
            added = subprocess.run(["git", "diff", "-U0", "HEAD~", "--", "Tests"], cwd=PROJECT, capture_output=True, text=True).stdout
            new = set(re.findall(r"\w+", " ".join(line for line in added.splitlines() if line.startswith("+"))))
            print(f"{len(found)} names of tests in .{kind} files have more than {WORDS} words; {kept} are allowed. New since the last commit:")
            print("\n".join(f"{file}: {name}" for file, name in found if name in new))
        elif len(found) < kept:
            failed = True
            print(f"only {len(found)} names of tests in .{kind} files have more than {WORDS} words: lower KEPT[\"{kind}\"] to that")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
