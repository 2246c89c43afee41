"""A reader of the console's event stream, outside the browser."""

import http.client
import threading


class EventStream:
    """Everything that `GET /api/events` sends a device, kept as text until `close`."""

    def __init__(self, watched):
        """Opens the stream with the cookie and key of the context."""
        cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in watched.context.cookies())
        self._connection = http.client.HTTPConnection("localhost", watched.console.port, timeout=30)
        self._connection.request("GET", "/api/events", headers={"Cookie": cookies, "X-Device-Key": watched.device_key})
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200, self._answer.read()
        self._arrived = threading.Condition()
        self._text = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for(self, part):
        """Waits until that text has arrived."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: part in self._text, timeout=15), f"{part} did not arrive in {self._text}"

    def close(self):
        """Ends the stream; gives all that was read."""
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._reader.join(timeout=5)
        self._connection.close()
        return self._text

    def _read(self):
        try:
            while chunk := self._answer.read1(65536):
                with self._arrived:
                    self._text += chunk.decode("utf-8", "replace")
                    self._arrived.notify_all()
        except (OSError, http.client.HTTPException):
            return
