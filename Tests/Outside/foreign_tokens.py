"""The tokens that the foreign backend gave to one device."""

import secrets
import time

from dialects import Instant
from foreign_account import Refused, new_id

LIFETIME, GRACE = 900, 10


class TokenFamily:
    """A session's tokens; `secrets` are all that were ever given out."""

    def __init__(self):
        self.valid, self.expired, self.secrets = set(), set(), set()
        self.refresh_token = self.session_id = self._parent = self._pair = None
        self._spent, self._refreshed, self._is_used = set(), 0, False

    def start(self):
        """The first tokens of a session."""
        self.session_id, self._spent, self._parent = new_id(), set(), None
        return self.issue()

    def issue(self):
        """A new pair; the access token of before is worth nothing."""
        now = int(time.time())
        self.valid = {f"{secrets.token_urlsafe(24)}.{secrets.token_urlsafe(300)}.{secrets.token_urlsafe(32)}"}
        self.refresh_token, self._is_used = secrets.token_urlsafe(40), False
        self.secrets |= {*self.valid, self.refresh_token}
        self._pair = {
            "access_token": next(iter(self.valid)), "refresh_token": self.refresh_token, "token_type": "Bearer",
            "expires_in": LIFETIME, "expires_at": Instant(now + LIFETIME), "refresh_expires_in": 30 * 86400,
            "refresh_expires_at": Instant(now + 30 * 86400), "session_id": self.session_id,
        }
        return self._pair

    def rotate(self, token):
        """New tokens for the refresh token. The one before gets the same again for a while, if the answer was lost; others end it all."""
        if token == self._parent and not self._is_used and time.monotonic() - self._refreshed < GRACE:
            return self._pair
        if token != self.refresh_token or token is None:
            if token not in self._spent:
                raise Refused(401, "invalid_token")
            self._spent.add(self.refresh_token)
            self.end()
            raise Refused(401, "refresh_token_reused")
        self._spent.add(token)
        self._parent, self._refreshed = token, time.monotonic()
        return self.issue()

    def expire(self):
        """From now on the access token is answered with `ErrAccessTokenExpired`."""
        self.expired |= self.valid
        self.valid = set()

    def authorize(self, token):
        """Lets only a valid access token pass."""
        if token in self.expired:
            raise Refused(401, "ErrAccessTokenExpired")
        if token not in self.valid:
            raise Refused(401, "invalid_token")
        self._is_used = True

    def end(self):
        """No token is worth anything any more."""
        self.valid, self.refresh_token, self._parent = set(), None, None
