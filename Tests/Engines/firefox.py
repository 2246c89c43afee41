"""Firefox, driven over WebDriver BiDi."""

import contextlib
import itertools
import json
import os
import re
import subprocess
import tempfile
import threading

from person import MovedError
from pointer_actions import PointerActions
from websockets.sync.client import connect

READY = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
SECONDS = 30


class RefusedError(Exception):
    """Firefox did not do what a command says."""


class Firefox:
    """A running Firefox; each `profile` is a container of its own, which shares nothing with the others."""

    def __init__(self):
        """Starts it without a window."""
        # What is to be ended, in the order in which it began.
        self.parts = contextlib.ExitStack()
        folder = self.parts.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        command = ["firefox-esr", "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"]
        environment = os.environ | {"HOME": folder, "MOZ_CRASHREPORTER_DISABLE": "1"}
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        process = self.parts.enter_context(subprocess.Popen(command, env=environment, text=True, **quiet))
        self.parts.callback(process.terminate)
        address = next((found[1] for line in process.stderr if (found := READY.search(line))), None)
        assert address, "Firefox ended before it listened"
        # What it says later is of no interest, but must go somewhere.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        self.socket = self.parts.enter_context(connect(f"{address}/session", max_size=None, compression=None))
        self.numbers = itertools.count(1)
        self.tabs = {}
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])

    def call(self, method, **parameters):
        """Sends a command and gives its result."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=SECONDS))
            if message.get("method") == "log.entryAdded":
                self.note(message["params"])
            elif message.get("id") == number:
                if message["type"] != "success":
                    raise RefusedError(f"{method}: {message['error']}: {message['message']}")
                return message["result"]

    def note(self, entry):
        """Keeps an error that no page caught for the tab that it is of."""
        tab = self.tabs.get(entry["source"].get("context"))
        if tab and entry["type"] == "javascript" and entry["level"] == "error":
            tab.errors.append(entry["text"])

    def profile(self, width, height):
        """A tab in an empty profile."""
        user = self.call("browser.createUserContext")["userContext"]
        context = self.call("browsingContext.create", type="tab", userContext=user)["context"]
        self.call("browsingContext.setViewport", context=context, viewport={"width": width, "height": height})
        tab = self.tabs[context] = FirefoxTab(self, user, context)
        return tab

    def stop(self):
        """Ends it."""
        self.parts.close()


class FirefoxTab(PointerActions):
    """The one tab of a profile."""

    def __init__(self, browser, user, context):
        """Wraps the tab."""
        self.browser, self.user, self.context, self.errors = browser, user, context, []

    def go(self, address):
        """Opens an address, as one typed into the address field."""
        self.browser.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def run(self, function, argument):
        """Calls a JavaScript function that reads the page; gives its result."""
        try:
            answer = self.browser.call(
                "script.callFunction",
                functionDeclaration=f"(text) => JSON.stringify(({function})(JSON.parse(text)))",
                arguments=[{"type": "string", "value": json.dumps(argument)}],
                target={"context": self.context},
                awaitPromise=False,
            )
        except RefusedError as error:
            raise MovedError(error) from None
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"].get("value", "null"))

    def perform(self, source):
        """Performs the actions of one input device."""
        self.browser.call("input.performActions", context=self.context, actions=[source])

    def close(self):
        """Ends the profile."""
        del self.browser.tabs[self.context]
        self.browser.call("browser.removeUserContext", userContext=self.user)
