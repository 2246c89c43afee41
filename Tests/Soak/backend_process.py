"""The program's backend in its own process, and calls to it over TLS on persistent connections."""
import http.client, json, os, secrets, ssl, subprocess, urllib.parse

from processes import start_program

class Backend:
    """`understudy backend` on a free port over a data folder, or over a database; the developers' routes are on."""

    def __init__(self, binary, data, *arguments, limits="off", registration="open", database=None):
        self.token = secrets.token_hex(16)
        os.makedirs(data, mode=0o700, exist_ok=True)
        token_file = os.path.join(data, "developers-token")
        with open(token_file, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file: file.write(self.token)
        self.process = start_program(
            [binary, "backend", "--port", "0", *(["--database", database] if database else ["--data", data]), "--dev-token-file", token_file, "--log-level", "error",
             *([] if "--replay" in arguments else ["--limits", limits, "--registration", registration]),
             *arguments], stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline().split()
        if ready[:3] != ["understudy", "backend", "ready"]: raise RuntimeError("not ready")
        self.port = int(ready[3].rsplit(":", 1)[1])
        self.pin = ready[4]
        self.token_file, self.certificate = token_file, os.path.join(data, "certificate.pem")
        if database:
            with open(self.certificate, "w") as file: file.write(ssl.get_server_certificate(("127.0.0.1", self.port)))
        self.context = ssl.create_default_context(cafile=self.certificate)

    def connect(self): return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=self.context)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(30)
        self.process.stdout.close()
        return code

    def code(self, identifier, ask):
        """The code of the message that `ask` has sent to an identifier; it is newer than any that was there before."""
        connection = self.connect()
        try:
            before = newest(self, connection, identifier)
            ask()
            return message(self, connection, identifier, before)["code"]
        finally:
            connection.close()

def call(connection, method, path, body=None, device="soak", token=None, key=None):
    """One call: status, JSON body (None for none), headers."""
    headers = {"X-Device-ID": device}
    data = None
    if body is not None:
        data = json.dumps(body)
        headers["Content-Type"] = "application/json"
    if token: headers["Authorization"] = "Bearer " + token
    if key: headers["Idempotency-Key"] = key
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    text = answer.read()
    return answer.status, json.loads(text) if text else None, answer.headers

def inbox(backend, connection, **query):
    """The messages that a query finds, oldest first."""
    status, body, _ = call(connection, "GET", "/dev/inbox?" + urllib.parse.urlencode(query), token=backend.token)
    assert status == 200, (status, body)
    return body["messages"]

def newest(backend, connection, identifier):
    """The id of the newest message to an identifier, None for none."""
    messages = inbox(backend, connection, to=identifier)
    return messages[-1]["id"] if messages else None

def message(backend, connection, identifier, after):
    """The newest message to an identifier that came after the one with the id `after`, waited for."""
    messages = inbox(backend, connection, to=identifier, wait=30, **({"after": after} if after else {}))
    assert messages, f"no message to {identifier} came"
    return messages[-1]

def ask_for_code(backend, connection, identifier, device="soak"):
    """Asks for a code; the code of the message that came."""
    before = newest(backend, connection, identifier)
    status, body, _ = call(connection, "POST", "/rpc/request_login_code", {"identifier": identifier}, device)
    assert status == 200, (status, body)
    return message(backend, connection, identifier, before)["code"]

def sign_in(backend, connection, identifier, device="soak"):
    """A login by code; the tokens."""
    code = ask_for_code(backend, connection, identifier, device)
    status, tokens, _ = call(connection, "POST", "/rpc/login_with_code", {"identifier": identifier, "code": code}, device)
    assert status == 200, (status, tokens)
    return tokens
