"""The words of the pages, read from their files."""

import json
import re

from running_console import PROJECT

LOCALES = PROJECT / "Public/assets/locales"


def languages():
    """The languages that have words of their own."""
    head = (PROJECT / "Public/parts/head.html").read_text()
    return [one.split("=")[0] for one in re.search('name="languages" content="([^"]+)"', head)[1].split() if "-X" not in one]


def sections(language="en"):
    """The messages of a language by section and key."""
    found = json.loads((LOCALES / f"{language}.json").read_text())
    found.pop("same_as_english", None)
    return found


def messages(language="en"):
    """Every message of a language by its key."""
    return {key: message for section in sections(language).values() for key, message in section.items()}
