"""Certificates of servers that the tests start."""

import subprocess


def make_certificate(folder):
    """Makes a key and a certificate of its own for 127.0.0.1 and localhost in the folder; their files."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True, timeout=30,
    )
    return key, certificate
