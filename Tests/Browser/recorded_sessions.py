"""Recordings of another program that differ in every way that a comparison tells."""

import json

# Method, path, status, milliseconds, body.
BEFORE = (
    ("POST", "/rpc/login", 200, 80, {"user": {"id": "u1", "name": "Ann"}}),
    ("GET", "/rpc/me", 200, 40, {"id": "u1", "roles": ["reader", "editor"]}),
    ("GET", "/rpc/get_cues", 200, 120, {"cues": [{"id": "a", "title": "Hello"}, {"id": "b", "title": "Wait"}]}),
    ("GET", "/rpc/app_config", 200, 30, {"theme": "light", "beta": False}),
    ("POST", "/rpc/update_cue", 200, 60, {"done": True}),
    ("POST", "/rpc/logout", 204, 20, None),
)
AFTER = (
    ("POST", "/rpc/login", 200, 84, {"user": {"name": "Ann", "id": "u1"}}),
    ("GET", "/rpc/app_config", 200, 31, {"beta": "no", "theme": "dark", "limit": 5}),
    ("GET", "/rpc/me", 401, 38, {"error": "expired"}),
    ("POST", "/rpc/refresh_tokens", 200, 50, {"expires_in": 900}),
    ("GET", "/rpc/get_cues", 200, 640, {"cues": [{"id": "b", "title": "Wait!"}, {"id": "a", "title": "Hello"}]}),
    ("POST", "/rpc/logout", 204, 21, None),
)


def har(session):
    """A session as a HAR."""
    entries = []
    for second, (method, path, status, milliseconds, body) in enumerate(session):
        content = {"size": 0} if body is None else {"size": 1, "mimeType": "application/json", "text": json.dumps(body)}
        entries.append({
            "startedDateTime": f"2026-01-01T10:00:{second:02}.000Z", "time": milliseconds,
            "timings": {"send": 1, "wait": milliseconds - 2, "receive": 1},
            "request": {"method": method, "url": f"https://api.example.org{path}?page=1", "headers": [{"name": "Accept", "value": "*/*"}]},
            "response": {"status": status, "headers": [{"name": "ETag", "value": f'"{status}"'}], "content": content},
        })
    return {"log": {"version": "1.2", "creator": {"name": "Other", "version": "1"}, "entries": entries}}


def import_session(context, title, session):
    """Imports a session; gives the id of the recording."""
    answer = context.call("POST", f"/api/recordings/import?title={title}", har(session))
    assert answer.ok, answer.text()
    return answer.json()["id"]
