"""Prints the release notes of a version: its section of the changelog, how to install it, and the sums of its files.

usage: release_notes.py VERSION CHANGELOG [SHA256SUMS]; exits with 65 if the changelog has no section of the version.
"""
import re
import sys
from pathlib import Path


def section(changelog: str, version: str) -> str | None:
    """What the changelog says of a version, without its title; None if it says nothing."""
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() or None if found else None


def notes(version: str, changes: str, sums: str) -> str:
    return f"""# Understudy {version}

{changes}

## Install

Debian 12 or later, x86-64:

```sh
sudo apt install ./understudy_{version}_amd64.deb
understudy
```

Without root: unpack `understudy-{version}-linux-x86_64.tar.xz` and start `./understudy` in it.

## SHA-256

```
{sums.strip()}
```
"""


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    described = section(Path(sys.argv[2]).read_text(), sys.argv[1])
    if described is None:
        print(f"release: the changelog has no section [{sys.argv[1]}]", file=sys.stderr)
        sys.exit(65)
    print(notes(sys.argv[1], described, Path(sys.argv[3]).read_text() if len(sys.argv) == 4 else ""), end="")
