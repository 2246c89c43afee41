"""An HTTPS server on a free port of 127.0.0.1, for backends that tests play."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class TLSHandler(BaseHTTPRequestHandler):
    """Keeps connections, writes an answer at once, and is quiet."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """Is quiet."""


class TLSServer(ThreadingHTTPServer):
    """Answers each connection in a thread of its own."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, key, certificate, handler):
        """Starts; what the handler needs of the server must be there before."""
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, key)
        super().__init__(("127.0.0.1", 0), handler)
        self.origin = f"https://127.0.0.1:{self.server_port}"
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def get_request(self):
        """The next connection; its handshake is left to its own thread."""
        connection, address = super().get_request()
        return self._context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, request, client_address):
        """A caller that leaves, or breaks the handshake, is no fault."""

    def stop(self):
        """Takes no more connections."""
        self.shutdown()
        self._thread.join()
        self.server_close()
