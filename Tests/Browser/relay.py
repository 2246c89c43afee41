"""A TCP relay whose far side can be taken away and brought back, as a backend that is down."""

import socket
import threading


class Relay:
    """Passes bytes between a port of its own on 127.0.0.1 and the target."""

    def __init__(self, target):
        """Relays to the (host, port)."""
        self.target = target
        self.port = 0
        self._open = set()
        self.start()

    def start(self):
        """Listens, on the same port as before if there was one."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def stop(self):
        """Refuses new connections and cuts the open ones."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it was stopped before
        self._listener.close()
        for end in list(self._open):
            self._close(end)

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self.target)
            except OSError:
                near.close()
                continue
            self._open |= {near, far}
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one, other):
        try:
            while data := one.recv(65_536):
                other.sendall(data)
        except OSError:
            pass
        self._close(one)
        self._close(other)

    def _close(self, end):
        self._open.discard(end)
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        end.close()
