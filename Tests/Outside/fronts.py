"""haproxy and nginx as reverse proxies in front of the probe, configured in a temporary folder."""

import re
import shutil
import socket
import subprocess

from moments import until
from ports import next_port
from processes import start_program

HAPROXY = """
global
    log stdout format raw local0
    maxconn 200
defaults
    mode http
    log global
    log-format "forwarded=%s %HM %HU"
    http-reuse always
    retries 0
    timeout connect 2s
    timeout client 2s
    timeout server 2s
    timeout http-request 2s
frontend front
    bind 127.0.0.1:{port}
    default_backend back
backend back
    server probe 127.0.0.1:{backend}
"""

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 200; }}
http {{
  log_format line 'forwarded=$upstream_addr $request_method $request_uri';
  access_log /dev/stdout line;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream probe {{ server 127.0.0.1:{backend}; keepalive 8; }}
  server {{
    listen 127.0.0.1:{port};
    client_header_timeout 2s;
    client_body_timeout 2s;
    location / {{
      proxy_pass http://probe;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_request_buffering {buffering};
      proxy_next_upstream off;
      proxy_read_timeout 2s;
    }}
  }}
}}
"""


class Front:
    """A running front; `forwarded` has the (method, path) of each request that it passed on."""

    def __init__(self, kind, backend, folder):
        """Starts `haproxy`, `nginx` (streams bodies) or `nginx-buffered` in front of that port."""
        folder.mkdir()
        self.port, self._log = next_port(), folder / "log"
        name = kind.partition("-")[0]
        text = HAPROXY if name == "haproxy" else NGINX
        buffering = "on" if kind.endswith("buffered") else "off"
        configuration = folder / "front.conf"
        configuration.write_text(text.format(port=self.port, backend=backend, folder=folder, buffering=buffering))
        program = shutil.which(name) or shutil.which(name, path="/usr/sbin")
        assert program, f"{name} is not installed"
        arguments = ["-f", configuration] if name == "haproxy" else ["-c", configuration, "-p", folder, "-e", folder / "error.log"]
        with self._log.open("ab") as output:
            self._process = start_program([program, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        until(self.is_listening, f"{name} listens")

    def is_listening(self):
        """Whether it accepts connections; it must not have ended."""
        assert self._process.poll() is None, self._log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return False
        return True

    @property
    def forwarded(self):
        """Returns the forwarded requests so far, without queries and authorities."""
        found = re.findall(r"^forwarded=(\S+) (\S+) (\S+)", self._log.read_text(errors="replace"), re.MULTILINE)
        return [(method, path_of(target)) for server, method, target in found if server not in ("-", "<NOSRV>")]

    def stop(self):
        """Stops it."""
        self._process.terminate()
        self._process.wait(timeout=10)


def path_of(target):
    """The path of a target in origin or absolute form."""
    return re.sub(r"^[a-z]+://[^/?]*", "", target).partition("?")[0] or "/"
