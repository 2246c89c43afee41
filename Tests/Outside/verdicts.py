"""What a backend may answer to a refresh, and whether that ends the session."""

from dialects import SHAPES
from foreign_backend import CLOSED, Answer, json_answer, page

OWN_ERROR = "session_revoked_by_admin"


def error(status, shape, code, *headers):
    """An error in one of the shapes."""
    return json_answer(status, SHAPES[shape](status, code), *headers)


# One of each shape and of each kind; `Verdict` of the Swift tests has every status in every shape.
REFUSED = {
    "401 contract": error(401, "contract", "ErrRefreshTokenExpired"), "403 flat": error(403, "flat", OWN_ERROR),
    "400 oauth": error(400, "oauth", "invalid_grant"), "410 problem": error(410, "problem", OWN_ERROR),
    "422 problem_type": error(422, "problem_type", OWN_ERROR), "401 empty": Answer(401),
}
KEPT = {
    "401 invalid_signature": error(401, "contract", "invalid_signature"), "403 page": page(403), "404": error(404, "flat", OWN_ERROR),
    "503": error(503, "problem", OWN_ERROR), "429 with a wait": error(429, "flat", "too_many_attempts", ("Retry-After", "1")),
    "closed": CLOSED, "204": Answer(204, media_type=None), "200 without tokens": json_answer(200, {"status": "ok"}),
    "302": Answer(302, headers=(("Location", "https://127.0.0.1:9/elsewhere"),)),
}
