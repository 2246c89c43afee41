"""The words of the pages, read from their files."""

import json
import re

from running_console import PROJECT

LOCALES = PROJECT / "Public/assets/locales"


def languages():
    """The languages that have words of their own."""
    head = (PROJECT / "Public/parts/head.html").read_text()
    return [code for code in re.search('name="languages" content="([^"]+)"', head)[1].split() if "-X" not in code]


def messages(language="en"):
    """Every message of a language by its key."""
    found = {}
    for section in json.loads((LOCALES / f"{language}.json").read_text()).values():
        if isinstance(section, dict):
            found |= section
    for topic in sorted((LOCALES / "topics").glob("*.json")):
        for section in json.loads(topic.read_text()).values():
            found |= {key: translations[language] for key, translations in section.items() if language in translations}
    return {key: "".join(message) if isinstance(message, list) else message for key, message in found.items()}
