"""Apache with the file that Packaging has, and the OpenID Connect provider where it signs people in."""

import http.client
import json
import os
import re
import secrets
import shutil
import subprocess
import urllib.request

from moments import until
from running_console import PROJECT

APACHE = shutil.which("apache2", path="/usr/sbin:/usr/bin")
MODULES = "mpm_event authn_core authz_core authz_user auth_openidc headers proxy proxy_http ssl socache_shmcb".split()
MAIN = """ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache.log
{user}
{modules}
Include {folder}/understudy.conf
"""


def answers(port, path):
    """Whether something answers there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path, headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status < 500
    except OSError:
        return False
    finally:
        connection.close()


def wait_for(process, port, path):
    """Waits until a process answers."""
    def is_there():
        assert process.poll() is None, "it ended"
        return answers(port, path)

    until(is_there, "it answers")


class Provider:
    """An OpenID Connect provider that believes who somebody says they are."""

    def __init__(self, port, *people):
        """With accounts of these addresses, which are verified."""
        self.port = port
        program = os.environ.get("OPENID_PROVIDER") or PROJECT / ".build/venv-openid/bin/oidc-provider-mock"
        claims = [f'--user-claims={{"sub": "{name}", "email": "{name}", "email_verified": true}}' for name in people]
        self.process = subprocess.Popen([program, "--port", str(port), *claims], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.process, port, "/.well-known/openid-configuration")

    def put(self, account, **claims):
        """Makes or changes an account."""
        data = json.dumps(claims).encode()
        request = urllib.request.Request(f"http://localhost:{self.port}/users/{account}", data, {"Content-Type": "application/json"}, method="PUT")
        urllib.request.urlopen(request, timeout=10).close()

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Apache:
    """Apache with the configuration that Packaging has, on 127.0.0.1 without TLS, before a console of this machine."""

    def __init__(self, folder, port, console, provider, secret, edit=lambda text: text):
        """On that port, before the console and with the provider on those; `edit` changes the file as an administrator would."""
        self.folder = folder
        text = edit((PROJECT / "Packaging/apache-openidc.conf").read_text())
        text, count = re.subn(r"(?m)^    SSL.*\n", "", text)
        assert count == 3
        text = text.replace("/etc/apache2/understudy-secrets.conf", f"{folder}/secrets.conf").replace("<VirtualHost *:443>", f"<VirtualHost 127.0.0.1:{port}>")
        text = text.replace("http://CONSOLE1.EXAMPLE:8080/", f"http://127.0.0.1:{console}/").replace("https://PROVIDER.EXAMPLE", f"http://localhost:{provider}")
        text = text.replace("https://CONSOLE.EXAMPLE", f"http://localhost:{port}").replace("CONSOLE.EXAMPLE", "localhost")
        assert "EXAMPLE" not in re.sub(r"(?m)^ *#.*", "", text)
        (folder / "understudy.conf").write_text(text)
        lines = "OIDCClientSecret {}\nOIDCCryptoPassphrase {}\nDefine PERSON_SECRET {}\n"
        (folder / "secrets.conf").write_text(lines.format(secrets.token_urlsafe(16), secrets.token_urlsafe(16), secret))
        modules = "\n".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES)
        user = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
        (folder / "apache.conf").write_text(MAIN.format(folder=folder, port=port, user=user, modules=modules))
        self.process = subprocess.Popen([APACHE, "-f", folder / "apache.conf", "-DFOREGROUND"])
        wait_for(self.process, port, "/api/state")

    @property
    def log(self):
        """What Apache complained about."""
        return (self.folder / "apache.log").read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
