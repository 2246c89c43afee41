#!/usr/bin/env python3
"""Makes the small pictures of the help from those that `screenshots.py` has taken.

usage: help_pictures.py TAKEN PICTURES
"""

import re
import sys
from pathlib import Path

from PIL import Image
from running_console import PROJECT

SIZE = (720, 450)
SHOWN = re.compile(r'src="/assets/pictures/([\w-]+)\.webp"')


def main(taken, pictures):
    """Makes every picture that a part of the help shows, and deletes others."""
    pictures.mkdir(parents=True, exist_ok=True)
    names = {name for part in (PROJECT / "Public/parts").glob("help-*.html") for name in SHOWN.findall(part.read_text())}
    for name in names:
        picture = Image.open(taken / f"{name}.png").convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
        picture.save(pictures / f"{name}.webp", quality=50, method=6)
    for old in pictures.glob("*.webp"):
        if old.stem not in names:
            old.unlink()


main(Path(sys.argv[1]), Path(sys.argv[2]))
