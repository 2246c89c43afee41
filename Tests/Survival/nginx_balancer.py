"""nginx before several consoles, with the file that Packaging has."""

import http.client
import os
import re
import secrets
import shutil
import subprocess

from console_process import PROJECT
from moments import until
from processes import start_program

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin")
MAIN = """daemon off;
worker_processes 1;
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/understudy.conf;
}}
"""


def write_main(folder):
    """A main file that includes `understudy.conf` of the folder; gives its path."""
    file = folder / "nginx.conf"
    file.write_text(MAIN.format(folder=folder, user="user root;" if os.geteuid() == 0 else ""))
    return file


def checked(folder):
    """What nginx says of the files in the folder."""
    return subprocess.run([NGINX, "-t", "-e", "stderr", "-c", write_main(folder)], capture_output=True, text=True, check=False)


class NginxBalancer:
    """nginx with the configuration that Packaging has, on 127.0.0.1 without TLS, before consoles of this machine."""

    def __init__(self, port, consoles, folder, edit=lambda text: text):
        """On that port, before the consoles on those ports; the folder gets its files; `edit` changes the file first."""
        self.port, self.consoles = port, consoles
        text = edit((PROJECT / "Packaging/nginx.conf").read_text())
        # An address without TLS, which the test of the file as it is covers, and a field that tells who answered.
        text, count = re.subn(r"(?m)^    ssl_.*\n", "", text)
        assert count == 2
        answers = "    add_header X-Upstream $upstream_addr always;\n"
        text = text.replace("    listen 443 ssl;\n", f"    listen 127.0.0.1:{port};\n{answers}").replace("server_name CONSOLE.EXAMPLE", "server_name localhost")
        for number, console in enumerate(consoles, 1):
            text = text.replace(f"CONSOLE{number}.EXAMPLE:8080", f"127.0.0.1:{console}")
        assert "EXAMPLE" not in re.sub(r"(?m)^#.*", "", text)
        (folder / "understudy.conf").write_text(text)
        said = checked(folder)
        assert said.returncode == 0, said.stderr
        # A signal that it cannot handle would leave its workers.
        self.process = start_program([NGINX, "-e", folder / "nginx.log", "-c", folder / "nginx.conf"], ending="TERM")
        self.wait_for_all()

    def upstream(self, key):
        """The status of `/readyz` as it is answered to a device, and the ports of the consoles that were asked."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/readyz", headers={"Host": f"localhost:{self.port}", "X-Device-Key": key})
            answer = connection.getresponse()
            return answer.status, [int(one) for one in re.findall(r":(\d+)", answer.getheader("X-Upstream", ""))]
        except OSError:
            return 0, []
        finally:
            connection.close()

    def wait_for(self, number):
        """Waits until it sends calls to a console."""
        wanted = 200, [self.consoles[number - 1]]
        until(lambda: self.upstream(secrets.token_urlsafe(16)) == wanted, f"nginx sends calls to console {number}", 60)

    def wait_for_all(self):
        """Waits until it sends calls to every console."""
        for number in range(1, len(self.consoles) + 1):
            self.wait_for(number)

    def stop(self):
        """Ends it."""
        self.process.terminate()
        self.process.wait(10)
