"""The accounts of the foreign backend, in plain values."""

import secrets
import time

from dialects import Instant

LANGUAGES = {"en": "English", "pl": "Polski", "ar": "العربية", "de": "Deutsch"}
FEATURES = ("login_code", "analytics_opt_out", "developer_tools", "account_deletion", "logout_endpoint", "idempotency_keys")
CONFIG = {
    "default_language_code": "en", "supported_languages": [{"code": code, "name": name} for code, name in LANGUAGES.items()],
    "features": dict.fromkeys(FEATURES, True),
    "auth": {"cooldown_seconds": 0, "code_length": 6, "trusted_link_hosts": []},
    "network_log": {"capacity": 500}, "session": {"refresh_margin_seconds": 120},
}


class Refused(Exception):
    """An error of the backend's own."""

    def __init__(self, status, code, details=None):
        super().__init__(f"{status} {code}")
        self.status, self.code, self.details = status, code, details


def new_id():
    """An id that is also a number."""
    return str(secrets.randbelow(10**12) + 10**12)


class ForeignAccount:
    """A person with profiles and cues; `code` and `link_token` are those of the newest message to the identifier."""

    def __init__(self, identifier):
        self.identifier = identifier
        self.user_id, self.account_id = new_id(), new_id()
        self.code = self.link_token = self.deletion = None
        self.created = int(time.time()) - 86400 * 365
        # What was sent to the identifier; a code of six digits may also be a part of something else.
        self.secrets = {identifier}
        self.answers = {}
        self.profiles = {}
        self.active = self.profile("en")[1]["profile_id"]
        self.cues = [self._cue(number) for number in range(4)]

    def _cue(self, number):
        return {
            "cue_id": new_id(), "profile_id": self.active, "prompt": f"prompt {number}", "answer": f"answer {number}", "stage": "new",
            "position": number, "updated_at": Instant(self.created),
        }

    def send(self):
        """Makes a code and a link's token, as if they were sent; earlier ones are worth nothing."""
        self.code, self.link_token = f"{secrets.randbelow(10**6):06}", secrets.token_urlsafe(32)
        self.secrets.add(self.link_token)

    def me(self):
        """The user."""
        user = {
            "user_id": self.user_id, "account_id": self.account_id, "email": self.identifier, "display_name": "Dana", "roles": ["developer"],
            "active_profile_id": self.active, "profiles": list(self.profiles.values()), "created_at": Instant(self.created),
        }
        return user | ({"deletion_scheduled_for": self.deletion} if self.deletion else {})

    def profile(self, language):
        """The profile of the language, made if there is none: its status and itself."""
        if language in self.profiles:
            return 200, self.profiles[language]
        if language not in LANGUAGES:
            raise Refused(400, "invalid_request")
        made = {"profile_id": new_id(), "language_code": language, "display_name": LANGUAGES[language], "created_at": Instant(self.created)}
        self.profiles[language] = made
        return 201, made

    def activate(self, language):
        """Makes the profile of the language the active one."""
        if language not in self.profiles:
            raise Refused(404, "profile_not_found")
        self.active = self.profiles[language]["profile_id"]
        return self.profiles[language]

    def delete(self):
        """Schedules the deletion, once."""
        self.deletion = self.deletion or Instant(int(time.time()) + 14 * 86400)
        return {"status": "scheduled", "scheduled_for": self.deletion}

    def shuffle(self):
        """Turns the order round."""
        self.cues.reverse()
        for position, cue in enumerate(self.cues):
            cue["position"] = position
        return {"cues": self.cues}

    def move(self, cue_id, stage, base, written):
        """Gives a cue another stage, if the caller has seen its newest version: its date word for word, as `written` makes it."""
        cue = next((cue for cue in self.cues if cue["cue_id"] == cue_id), None)
        if not cue:
            raise Refused(404, "cue_not_found")
        if base != written(cue["updated_at"].seconds):
            raise Refused(409, "conflict", cue)
        # Whole seconds, and each later than the last: dialects without fractions can tell them apart.
        cue["stage"], cue["updated_at"] = stage, Instant(max(int(time.time()), cue["updated_at"].seconds + 1))
        return cue
