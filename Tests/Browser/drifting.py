"""Documents that differ from the backend."""

import json

from running_console import PROJECT


def document():
    """The document that fits the backend."""
    return json.loads((PROJECT / "Tests/Baselines/swagger.json").read_text())


def write(differing, folder):
    """Writes a document; gives its path."""
    file = folder / "other.json"
    file.write_text(json.dumps(differing))
    return file


def differing_in_me(folder):
    """A document that differs in `GET /rpc/me`, which every device calls."""
    differing = document()
    me = differing["components"]["schemas"]["Me"]
    me["properties"] |= {"user_id": {"type": "integer"}, "badge_number": {"type": "string"}}
    me["required"].append("badge_number")
    return write(differing, folder)


def differing_in_shuffle(folder):
    """A document that differs in `POST /rpc/shuffle_cues`, which is only called when somebody shuffles."""
    differing = document()
    answer = differing["paths"]["/rpc/shuffle_cues"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    answer["properties"] = {"cues": {"type": "string"}, "round": {"type": "integer"}}
    answer["required"].append("round")
    return write(differing, folder)
