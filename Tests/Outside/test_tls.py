"""testssl.sh finds nothing in protocols, ciphers and vulnerabilities."""

import json
import shutil
import subprocess

import pytest
from certificates import make_certificate
from probe_server import ProbeServer

# Ignores findings about certificates without a public authority and about its own tools.
NOT_OURS = ("cert", "OCSP", "DNS_CAA", "engine_problem")
HARMLESS = {"OK", "INFO", "LOW"}


@pytest.fixture(scope="module")
def findings(folder, tmp_path_factory):
    """What a run of testssl.sh against the TLS port finds, by id."""
    work = tmp_path_factory.mktemp("tls")
    (key, certificate), report = make_certificate(work), work / "report.json"
    probe = ProbeServer(folder, "--tls-certificate", certificate, "--tls-key", key)
    # BREACH is judged by the path: a handler's answer may hold a secret and is not compressed; a file holds none and is.
    program = shutil.which("testssl") or shutil.which("testssl.sh")
    command = [program, "--quiet", "--color", "0", "--warnings", "off", "--nodns", "none", "--add-ca", certificate, "--jsonfile", report,
               "-p", "-s", "-f", "-P", "-S", "-U", f"https://127.0.0.1:{probe.port}/tiny"]
    ran = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=900)
    assert probe.stop() == 0
    assert report.exists(), ran.stdout[-2000:] + ran.stderr[-2000:]
    return {each["id"]: each for each in json.loads(report.read_text())}


def test_nothing_is_found(findings):
    """No finding at MEDIUM or above."""
    bad = [f"{each['severity']} {name}: {each['finding']}" for name, each in findings.items()
           if each["severity"] not in HARMLESS and not name.startswith(NOT_OURS)]
    assert not bad, "\n".join(bad)


@pytest.mark.parametrize(("name", "text"), [
    ("SSLv2", "not offered"), ("SSLv3", "not offered"), ("TLS1", "not offered"), ("TLS1_1", "not offered"), ("TLS1_2", "offered"),
    ("TLS1_3", "offered"), ("ALPN", "http/1.1"), ("secure_client_renego", "not vulnerable"), ("heartbleed", "not vulnerable"),
    ("CRIME_TLS", "not vulnerable"), ("ROBOT", "not vulnerable"), ("BEAST", "not vulnerable"), ("SWEET32", "not vulnerable"),
])
def test_it_looked(findings, name, text):
    """The run came to each of these."""
    assert text in findings[name]["finding"]
