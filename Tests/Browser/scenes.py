"""What a person can have before their eyes: pages, dialogs and states, each with the way there."""

from dataclasses import dataclass

import pytest
from console_team import is_team
from playwright.sync_api import expect
from reach import press
from recorded_sessions import BEFORE, har
from steps import at_rest, be_signed_in, expect_live, new_identifier, refuse
from watched_context import leave


@dataclass(frozen=True)
class Scene:
    """A page, what is pressed and typed until the controls show, and the element that has them."""

    name: str
    path: str
    steps: tuple = ()
    root: str = "main"
    signed_in: bool = False
    # Calls that the scene needs before the page is opened: method, path, body.
    calls: tuple = ()
    # Calls that fail: path, status, code.
    failing: tuple = ()
    least: int = 1
    # What a small screen does not have.
    is_wide: bool = False
    # How many of its controls only an embedded backend has, and whether it is all about one, which several consoles do not have.
    embedded: int = 0
    is_embedded: bool = False


def inside(name, path, *steps, **more):
    """A scene of somebody who is signed in."""
    return Scene(name, path, steps, signed_in=True, **more)


# The address of the person.
SOMEBODY = "somebody"
WHO = ("type", "#identifier", SOMEBODY)
ASKED = ("POST", "/api/login/magic-link", {"identifier": SOMEBODY})
CLEARED = ("DELETE", "/api/network", None)
# A call that the log lists, even after it was cleared.
LISTED = ("GET", "/api/account", None)
# The call whose answer differs from the document of the scenes' console.
SHUFFLED = ("POST", "/api/cues/shuffle", {})
AIRPLANE = ("POST", "/api/faults/presets/airplane", {})
ROW = "#network-grid [data-row]"
RULES = "fault-panel ol"
RECORDED = ("POST", "/api/recordings", {"title": "Sign-in works", "note": "Checked with the new build"})
IMPORTED = ("POST", "/api/recordings/import?title=Before", har(BEFORE))
COMPARED = ("#compare-recordings", "wait #start-comparison", "#start-comparison")
TWO_ROWS = (".recording-title", f"wait {ROW}", ("menu", ROW), "[data-item=mark]", ("menu", f"{ROW} ~ [data-row]"), "[data-item=compare]")
SECOND = ("POST", "/api/profiles", {"language_code": "de"})
TO_REVIEW = (".cue-menu", "[role=menuitemradio]:nth-child(3)")

SCENES = [
    Scene("login", "/login", least=4),
    Scene("login-code", "/login", (WHO, "#send-link", "wait #offer"), least=7, is_embedded=True),
    Scene("login-own-code", "/login", (WHO, "#have-code", "wait #verify"), least=4),
    Scene("header", "/login", root="header", least=8, is_wide=True),
    Scene("inbox", "/inbox", ("wait #open-link",), calls=(ASKED,), least=9, is_embedded=True),
    Scene("inbox-limits", "/inbox", ("backend-limits summary",), root="backend-limits", calls=(ASKED,), least=3, is_embedded=True),
    Scene("inbox-empty", "/inbox", ("wait [data-view=empty]",), root="inbox-view", is_embedded=True),
    Scene("callback", "/callback#token=nonenone"),
    Scene("callback-foreign", f"/callback#token={'a' * 43}", ("#sign-in", "wait #sign-in-foreign"), least=2),
    Scene("callback-ended", "/callback"),
    Scene("not-found", "/nowhere", least=2),
    Scene("help", "/help", root="help-search"),
    inside("settings", "/settings", least=9),
    inside("settings-sign-out", "/settings", "#sign-out", root="dialog[open]", least=2),
    inside("settings-notice", "/settings", "#refresh-session", "wait #session-result", root=".notices"),
    inside("settings-failed", "/settings", failing=(("/api/account", 502, "backend_error"),), root="#settings-error", least=2),
    inside("profiles", "/profiles", calls=(SECOND,), least=4),
    inside("profiles-none", "/profiles", ("type", "#profile-filter", "zzz"), root="[data-view=none]"),
    inside("cues", "/cues", least=6),
    inside("cues-menu", "/cues", ".cue-menu", root="[role=menu]", least=4),
    inside("cues-notice", "/cues", *TO_REVIEW, "wait #undo", root=".notices", least=2),
    inside("cues-none", "/cues", ("type", "#cue-filter", "zzz"), root="[data-view=none]"),
    inside("delete-account", "/delete-account", least=2),
    inside("delete-account-dialog", "/delete-account", "#open-deletion", ("type", "#deletion-word", "DELETE"), root="dialog[open]", least=3),
    inside("header-inside", "/settings", root="header", least=10, is_wide=True),
    inside("header-menu", "/settings", "show #theme", root="#shell-menu", least=9),
    inside("devices", "/settings", "#device", root="dialog[open]", least=5),
    inside("devices-reset", "/settings", "#device", "#factory-reset", root="#reset", least=3),
    inside("palette", "/settings", "#commands", "wait #palette-list", root="dialog[open]", least=3),
    inside("shortcuts", "/settings", "#commands", "wait #palette-list", "#palette-shortcuts", root="dialog[open]", least=2),
    Scene("network-empty", "/network", calls=(CLEARED,), root="[data-view=empty]"),
    inside("network-toolbar", "/network", f"wait {ROW}", root=".toolbar", least=7, calls=(LISTED,)),
    inside("network-filter", "/network", f"wait {ROW}", ("type", "#filter", "st"), root="#filter-list", least=1),
    inside("network-none", "/network", f"wait {ROW}", ("type", "#filter", "zzz"), root="[data-view=none]"),
    inside("network-heads", "/network", f"wait {ROW}", root=".grid-head", least=4),
    inside("network-rows", "/network", f"wait {ROW}", root=".grid-window", least=2),
    inside("network-failed", "/network", failing=(("/api/network*", 502, "backend_error"),), root="#network-error"),
    inside("network-row", "/network", ROW, "wait #replay-row", root="network-detail", least=12),
    inside("network-response", "/network", ROW, "#tab-response", root="#detail-panel"),
    inside("network-menu", "/network", f"wait {ROW}", ("menu", ROW), root="#context-menu", least=10, calls=(CLEARED, LISTED)),
    # What resets the columns needs something to reset.
    inside("network-columns", "/network", f"wait {ROW}", "#view", "[data-item=compact]", "#view", root="#context-menu", least=8, calls=(LISTED,)),
    inside("network-drift", "/network", "#view", "[data-item=drift]", "#drift summary", "wait #drift table", root="#drift", least=4, calls=(SHUFFLED,)),
    inside("network-answer", "/network", ROW, "#edit-answer", "wait #answer-body", root="dialog[open]", least=8),
    inside("network-export", "/network", f"wait {ROW}", "#export", "[data-item=file]", root="dialog[open]", least=4),
    inside("network-compose", "/network", f"wait {ROW}", "#compose", root="dialog[open]", least=4),
    inside("network-again", "/network", ROW, "#edit-row", root="dialog[open]", least=4),
    inside("faults", "/network", "#open-faults", "wait [data-preset]", root="fault-panel", least=4),
    inside("faults-docked", "/network", "#open-faults", "wait [data-preset]", ROW, "wait #replay-row", root="network-detail", least=12, is_wide=True),
    inside("faults-armed", "/network", "#open-faults", "wait [data-fault]", calls=(AIRPLANE,), root=RULES, least=3),
    inside("faults-banner", "/network", "wait armed-banner button", calls=(AIRPLANE,), root="armed-banner", least=2),
    inside("faults-elsewhere", "/timeline", "#show-faults", "wait [data-fault]", calls=(AIRPLANE,), root=RULES, least=3),
    inside("timeline", "/timeline", "wait #entries tr", least=5),
    inside("network-recording", "/network", f"wait {ROW}", "#export", "[data-item=recording]", "wait #recording-title", root="dialog[open]", least=4),
    inside("recordings", "/recordings", "wait [data-recording]", calls=(CLEARED, LISTED, RECORDED), least=5),
    inside("recordings-rename", "/recordings", "[id^=rename-]", "wait #edit-title", root="[data-recording]", calls=(LISTED, RECORDED), least=4),
    inside("recordings-delete", "/recordings", "[id^=delete-]", root="dialog[open]", calls=(LISTED, RECORDED), least=3),
    inside("recordings-none", "/recordings", "wait [data-recording]", ("type", "#recording-search", "zzz"), root="[data-view=none]", calls=(RECORDED,)),
    inside("recordings-open", "/recordings", ".recording-title", "wait #to-live", root="#recording-banner", calls=(CLEARED, LISTED, RECORDED), least=2),
    inside("recordings-choose", "/recordings", "#compare-recordings", "wait #start-comparison", root="dialog[open]", calls=(RECORDED,), least=4),
    inside("recordings-compare", "/recordings", *COMPARED, "wait .difference", root="#comparison", calls=(IMPORTED, CLEARED), least=8),
    inside("network-compare", "/recordings", *TWO_ROWS, "wait .compare", root="dialog[open]", calls=(IMPORTED,), least=4, is_wide=True),
    Scene("recordings-empty", "/recordings", ("wait [data-view=empty]",), least=2),
    Scene("recordings-failed", "/recordings", root="[data-view=error]", failing=(("/api/recordings", 502, "backend_error"),)),
]


class Person:
    """Somebody who has only a mouse, or only a finger."""

    def __init__(self, visitor, by_touch, language=None):
        """In a fresh profile of the browser; the pages speak the language if there is one."""
        self.visitor, self.by_touch, self.language = visitor, by_touch, language
        self.address = new_identifier()
        self.page = visitor.page("/nowhere")
        expect_live(self.page)

    def open(self, scene):
        """Opens the page in a new tab and does the steps of the scene."""
        if scene.is_embedded and is_team(self.visitor.console):
            pytest.skip("the scene is one of the embedded backend")
        before, page = self.page, self.visitor.page()
        self.page = page
        leave(before)
        assert self.visitor.call("POST", "/api/backend/clock", {"reset": True}).ok
        assert self.visitor.call("DELETE", "/api/faults").ok
        for one in self.visitor.read("/api/recordings")["recordings"]:
            assert self.visitor.call("DELETE", f"/api/recordings/{one['id']}").ok
        self.be(scene.signed_in)
        for method, path, body in scene.calls:
            sent = body | {"identifier": self.address} if body and body.get("identifier") == SOMEBODY else body
            assert self.visitor.call(method, path, sent).ok, path
        for path, status, code in scene.failing:
            refuse(page, path, status, code)
        address, _, fragment = scene.path.partition("#")
        # The language of the account would take the place of the browser's.
        query = f"?lang={self.language}" if self.language else ""
        page.goto(address + query + (f"#{fragment}" if fragment else ""))
        self.settle()
        for step in scene.steps:
            if step[0] == "type":
                self.press(step[1])
                page.keyboard.type(self.address if step[2] == SOMEBODY else step[2])
            elif step[0] == "menu":
                self.open_menu(step[1])
            elif step.startswith("show "):
                self.show(self.page.locator(step[5:]))
            elif step.startswith("wait "):
                expect(page.locator(step[5:]).first).to_be_visible()
            else:
                self.press(step)
        expect(page.locator(scene.root).first).to_be_visible()
        self.address_of_scene = page.url

    def be(self, signed_in):
        """Signs in or out, if need be."""
        is_inside = self.visitor.read("/api/state")["session"]["state"] != "signed_out"
        if signed_in and not is_inside:
            be_signed_in(self.page, new_identifier())
        elif is_inside and not signed_in:
            assert self.visitor.call("POST", "/api/logout", {"discard": True}).ok

    def settle(self):
        """Waits until the page shows its content."""
        expect_live(self.page)
        at_rest(self.page)

    def press(self, selector):
        """Presses the first element of the selector where it is on the screen."""
        press(self.page, *self.place_of(selector), self.by_touch)

    def open_menu(self, selector):
        """Opens the menu of an element: with the right button, or with a finger that rests on it."""
        x, y = self.place_of(selector)
        if not self.by_touch:
            self.page.mouse.click(x, y, button="right")
            return
        session = self.page.context.new_cdp_session(self.page)
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        expect(self.page.locator("[role=menu]")).to_be_visible()
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        session.detach()

    def show(self, target):
        """Opens the menu in which a narrow screen has a part of the header, if the target is there."""
        if target.evaluate("(one) => one.closest('#shell-menu') && !one.checkVisibility()"):
            self.press("#menu")

    def place_of(self, selector):
        """Where the first element of the selector is pressed."""
        target = self.page.locator(selector).first
        self.show(target)
        expect(target).to_be_visible()
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        return box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] / 2
