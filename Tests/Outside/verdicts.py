"""What a backend may answer to a refresh, and whether that ends the session."""

from dialects import SHAPES
from foreign_backend import CLOSED, Answer, json_answer, page

OWN_ERROR = "session_revoked_by_admin"
CODES = (
    "ErrRefreshTokenExpired", "ErrDeviceNotRegistered", "refresh_token_reused", "invalid_token", "ErrAccessTokenExpired", "invalid_grant",
    OWN_ERROR,
)


def error(status, shape, code, *headers):
    """An error in one of the shapes."""
    return json_answer(status, SHAPES[shape](status, code), *headers)


def _refused():
    for code in CODES:
        yield f"401 {code}", error(401, "contract", code)
    for shape in SHAPES:
        yield f"401 {shape}", error(401, shape, OWN_ERROR)
    yield "401 empty", Answer(401)
    yield "401 other JSON", json_answer(401, {"ok": False})
    for status in (400, 403, 410, 422):
        for shape in SHAPES:
            yield f"{status} {shape}", error(status, shape, OWN_ERROR)
    yield "400 invalid_grant", error(400, "oauth", "invalid_grant")


def _kept():
    yield "401 invalid_signature", error(401, "contract", "invalid_signature")
    for status in (400, 401, 403, 404, 407):
        yield f"{status} page", page(status)
    yield "403 empty", Answer(403)
    yield "403 other JSON", json_answer(403, {"blocked": True})
    # About the route, the method or the payment.
    for status in (402, 404, 405, 409, 415, 451):
        yield f"{status}", error(status, "contract", OWN_ERROR)
    for status in (408, 425, 429, 500, 502, 503, 504):
        yield f"{status}", error(status, "contract", OWN_ERROR)
    yield "429 with a wait", error(429, "flat", "too_many_attempts", ("Retry-After", "1"))
    yield "closed", CLOSED
    yield "200 garbage", Answer(200, b"\x00\xffgarbage")
    yield "200 page", page(200)
    yield "200 empty", Answer(200)
    yield "200 without tokens", json_answer(200, {"status": "ok"})
    yield "200 with one token", json_answer(200, {"refresh_token": "only-this-one-of-the-two"})
    yield "204", Answer(204, media_type=None)
    yield "302", Answer(302, headers=(("Location", "https://127.0.0.1:9/elsewhere"),))


REFUSED = dict(_refused())
KEPT = dict(_kept())
