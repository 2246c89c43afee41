"""How backends write the same answers: names, dates, numbers, tokens and errors."""

import datetime
import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Instant:
    """A point in time, in seconds since 1970."""

    seconds: float


def civil(seconds):
    """Year to second, with a `T`."""
    return datetime.datetime.fromtimestamp(seconds // 1, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def milliseconds(seconds):
    """The part after the decimal point, as three digits."""
    return f"{int(seconds % 1 * 1000):03}"


DATES = {
    "rfc3339": lambda seconds: f"{civil(seconds)}.{milliseconds(seconds)}Z",
    "whole_seconds": lambda seconds: f"{civil(seconds)}Z",
    "zero_offset": lambda seconds: f"{civil(seconds)}+00:00",
    "seed": lambda seconds: f"{civil(seconds)}.{milliseconds(seconds)}+0000",
    "seconds": int,
    "seconds_with_fraction": lambda seconds: round(seconds, 3),
    "milliseconds": lambda seconds: int(seconds * 1000),
    "seconds_as_text": lambda seconds: str(int(seconds)),
    "milliseconds_as_text": lambda seconds: str(int(seconds * 1000)),
}


def snake(name):
    """`active_profile_id`."""
    return name


def camel(name):
    """`activeProfileId`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def camel_with_capitals(name):
    """`activeProfileID`."""
    name = camel(name)
    return name[:-2] + "ID" if name.endswith("Id") else name


def contract_error(status, code):
    """An object under `error`."""
    return {"error": {"code": code, "message": "It did not work.", "request_id": "r-1"}}


def flat_error(status, code):
    """`code` and `message`."""
    return {"code": code, "message": "It did not work."}


def oauth_error(status, code):
    """RFC 6749 §5.2."""
    return {"error": code, "error_description": "It did not work."}


def problem_with_code(status, code):
    """RFC 9457 with `code` as an extension member."""
    return {"type": "about:blank", "title": "It did not work", "status": status, "code": code}


def problem_with_type(status, code):
    """RFC 9457 whose `type` names the problem."""
    return {"type": f"https://backend.example/problems/{code}", "title": "It did not work", "status": status}


SHAPES = {
    "contract": contract_error, "flat": flat_error, "oauth": oauth_error, "problem": problem_with_code, "problem_type": problem_with_type,
}
ALL_TOKENS = (
    "access_token", "refresh_token", "token_type", "expires_in", "expires_at", "refresh_expires_in", "refresh_expires_at", "session_id",
    "profile",
)


def unchanged(path, answer):
    """The answer as it is."""
    return answer


@dataclass(frozen=True)
class Dialect:
    """How a backend writes; `lifetime` is how long its access tokens live, as far as a client can tell (None: it cannot)."""

    names: object = snake
    dates: object = DATES["rfc3339"]
    numbers: object = int
    ids: object = str
    tokens: tuple = ALL_TOKENS
    change: object = unchanged
    error: object = contract_error
    lifetime: float | None = 900

    def answer(self, path, value):
        """The JSON of an answer, as bytes."""
        if isinstance(value, dict) and "access_token" in value:
            value = {name: value[name] for name in self.tokens if name in value}
        return json.dumps(self._written(self.change(path, value))).encode()

    def error_answer(self, status, code, details=None):
        """JSON and media type of an error; details stand beside its code."""
        body = self.error(status, code)
        if details:
            (body["error"] if isinstance(body.get("error"), dict) else body)["details"] = self._written(details)
        problem = self.error in (problem_with_code, problem_with_type)
        return json.dumps(body).encode(), f"application/{'problem+' if problem else ''}json"

    def _written(self, value, name=""):
        if isinstance(value, Instant):
            return self.dates(value.seconds)
        if isinstance(value, dict):
            return {self.names(key): self._written(member, key) for key, member in value.items()}
        if isinstance(value, list):
            return [self._written(element) for element in value]
        if name in ("user_id", "account_id", "profile_id", "active_profile_id", "cue_id") and isinstance(value, str):
            return self.ids(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self.numbers(value)
        return value


def nulls(path, answer):
    """`null` for all that may be absent."""
    if path == "/rpc/me":
        return answer | dict.fromkeys(["phone", "display_name", "deletion_scheduled_for"])
    if "access_token" in answer:
        return answer | dict.fromkeys(["token_type", "expires_in", "expires_at", "refresh_expires_in", "refresh_expires_at", "session_id", "profile"])
    if path == "/rpc/app_config":
        return answer | dict.fromkeys(["network_log", "session"])
    return answer


def unknown_values(path, answer):
    """Values of enumerations that nobody has heard of."""
    if path == "/rpc/me":
        return answer | {"roles": ["wizard", "developer"]}
    if "access_token" in answer:
        return answer | {"token_type": "DPoP"}
    if path == "/rpc/get_cues":
        first, *rest = answer["cues"]
        return answer | {"cues": [first | {"stage": "fossilized"}, *rest]}
    if path == "/rpc/app_config":
        return answer | {"supported_languages": [*answer["supported_languages"], {"code": "tlh", "name": "Klingon"}]}
    return answer


def extra_members(path, answer):
    """Members that are in no contract, at every level."""
    def grown(value):
        if isinstance(value, dict):
            extra = {"x_internal": {"shard": 7, "tags": ["a", None, {"b": []}]}, "etag": None, "_links": []}
            return {name: grown(member) for name, member in value.items()} | extra
        return [grown(element) for element in value] if isinstance(value, list) else value

    return grown(answer)


def few_fields(path, answer):
    """Only what nothing can be done without."""
    keep = {
        "/rpc/request_login_code": (), "/rpc/app_config": ("supported_languages",),
        "/rpc/me": ("user_id", "account_id", "profiles", "active_profile_id"),
    }.get(path)
    if keep is not None:
        return {name: answer[name] for name in keep}
    if path in ("/rpc/get_cues", "/rpc/shuffle_cues"):
        wanted = ("cue_id", "prompt", "answer", "stage", "position", "updated_at")
        return {"cues": [{name: cue[name] for name in wanted} for cue in answer["cues"]]}
    return answer


PAIR = ("access_token", "refresh_token")
DIALECTS = {
    "contract": Dialect(),
    "seed": Dialect(names=camel, dates=DATES["seed"], tokens=(*PAIR, "expires_at"), error=oauth_error),
    "two_tokens": Dialect(tokens=PAIR, lifetime=None),
    "expires_in": Dialect(tokens=(*PAIR, "expires_in")),
    "expires_at": Dialect(tokens=(*PAIR, "expires_at")),
    "expires_in_is_earlier": Dialect(change=lambda _, answer: answer | {"expires_in": 300} if "expires_in" in answer else answer, lifetime=300),
    "expires_at_is_earlier": Dialect(change=lambda _, answer: answer | {"expires_in": 7200} if "expires_in" in answer else answer, lifetime=7200),
    "camel": Dialect(names=camel, error=flat_error),
    "camel_with_capitals": Dialect(names=camel_with_capitals, error=flat_error),
    "whole_seconds": Dialect(dates=DATES["whole_seconds"]),
    "zero_offset": Dialect(dates=DATES["zero_offset"]),
    "seconds": Dialect(dates=DATES["seconds"], tokens=(*PAIR, "expires_at"), error=problem_with_code),
    "seconds_with_fraction": Dialect(dates=DATES["seconds_with_fraction"], tokens=(*PAIR, "expires_at")),
    "milliseconds": Dialect(dates=DATES["milliseconds"], tokens=(*PAIR, "expires_at"), error=problem_with_type),
    "numbers_as_text": Dialect(numbers=str, tokens=(*PAIR, "expires_in", "refresh_expires_in")),
    "seconds_as_text": Dialect(dates=DATES["seconds_as_text"], tokens=(*PAIR, "expires_at")),
    "milliseconds_as_text": Dialect(dates=DATES["milliseconds_as_text"], tokens=(*PAIR, "expires_at")),
    "ids_are_numbers": Dialect(ids=int, tokens=(*PAIR, "expires_in")),
    "nulls": Dialect(change=nulls, lifetime=None),
    "unknown_values": Dialect(change=unknown_values),
    "extra_members": Dialect(change=extra_members),
    "few_fields": Dialect(change=few_fields, tokens=(*PAIR, "expires_in")),
    "all_at_once": Dialect(
        names=camel, dates=DATES["milliseconds_as_text"], numbers=str, ids=int, error=problem_with_type,
        tokens=(*PAIR, "expires_at"), change=lambda path, answer: extra_members(path, few_fields(path, answer)),
    ),
}
