"""The words of the pages, read from their files."""

import json
import re

from running_console import PROJECT

LOCALES = PROJECT / "Public/assets/locales"


def languages():
    """The languages that have words of their own."""
    head = (PROJECT / "Public/parts/head.html").read_text()
    return [one.split("=")[0] for one in re.search('name="languages" content="([^"]+)"', head)[1].split() if "-X" not in one]


def joined(message):
    """A message as pages get it: a long one is written as several strings."""
    if isinstance(message, dict):
        return {category: joined(text) for category, text in message.items()}
    return "".join(message)


def sections(language="en"):
    """The messages of a language by section and key, as the console serves them."""
    found = json.loads((LOCALES / f"{language}.json").read_text())
    found.pop("same_as_english", None)
    for topic in sorted((LOCALES / "topics").glob("*.json")):
        for name, translations in json.loads(topic.read_text()).items():
            of_language = {key: texts[language] for key, texts in translations.items() if language in texts}
            found[name] = found.get(name, {}) | of_language
    return {name: {key: joined(message) for key, message in section.items()} for name, section in found.items()}


def messages(language="en"):
    """Every message of a language by its key."""
    return {key: message for section in sections(language).values() for key, message in section.items()}
