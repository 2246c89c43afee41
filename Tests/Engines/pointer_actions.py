"""Mouse and keyboard as actions of WebDriver, which WebDriver BiDi has too."""


class PointerActions:
    """A tab that is clicked and typed into; a subclass performs the actions of one input device with `perform(source)`."""

    def click(self, x, y):
        """Moves the mouse to a place and clicks there."""
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]
        presses = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.perform({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves + presses})

    def type(self, text):
        """Types on the keyboard."""
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.perform({"type": "key", "id": "keyboard", "actions": keys})
