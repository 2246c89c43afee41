"""Every credential that was sent between a client and a product."""

import base64
import json
import re
import urllib.parse

# The names of members, parameters and header fields that hold one; those that end otherwise are about one.
NAMED = re.compile(r"(token|access|refresh|session|secret|password|passcode|code|grant|code_mfa_code)$", re.IGNORECASE)
NO_CREDENTIALS = {"token_type", "status_code", "response_type", "grant_type"}


def credentials(exchanges):
    """The credentials of the exchanges, and apart from them the short ones, such as codes."""
    found = set()
    for exchange in exchanges:
        for name, value in exchange.headers:
            if name == "authorization":
                found |= _of_authorization(value)
            elif name == "cookie":
                found |= {pair.partition("=")[2] for pair in value.split("; ")}
            elif NAMED.search(name):
                found.add(value)
        for name, value in exchange.answer_headers:
            if name == "set-cookie":
                found.add(value.partition(";")[0].partition("=")[2].strip('"'))
            elif name == "location":
                found |= _of_pairs(urllib.parse.urlsplit(value).query)
        for text in (exchange.body, exchange.answer):
            try:
                found |= _of_json(json.loads(text))
            except ValueError:
                found |= _of_pairs(text) if "html" not in text else set()
    long = {secret for secret in found if len(secret) > 9}
    return long, {secret for secret in found if 6 <= len(secret) <= 9}


def _of_authorization(value):
    scheme, _, credential = value.partition(" ")
    if scheme.lower() != "basic":
        return {credential}
    return {credential, base64.b64decode(credential).decode().partition(":")[2]}


def _of_pairs(text):
    found = {value for name, value in urllib.parse.parse_qsl(text) if NAMED.search(name) and name not in NO_CREDENTIALS}
    return found | {urllib.parse.quote_plus(value) for value in found}


def _of_json(value, name=""):
    if isinstance(value, dict):
        return set().union(*(_of_json(member, key) for key, member in value.items()))
    if isinstance(value, list):
        return set().union(*(_of_json(element, name) for element in value))
    is_one = isinstance(value, str) and NAMED.search(name) and name not in NO_CREDENTIALS
    # Names and sentences, such as errors have them, are no credentials.
    return {value} if is_one and (re.search(r"\d", value) or len(value) > 40) else set()
