"""A backend file whose sign-in asks for no identifier, because the file names the account itself."""

import json
import os
import subprocess

import pytest
from certificates import make_certificate
from console_process import binary
from file_phone import PROJECT, FilePhone, file_flags, start_console
from played_backend import PlayedBackend
from transcripts import PRODUCTS


@pytest.fixture
def start(tmp_path):
    """Starts a backend that plays a product, with a file that names the account; gives it, its certificate and the file."""
    started = []

    def make(name):
        product = next(one for one in PRODUCTS if one.name == name)
        key, certificate = make_certificate(tmp_path)
        file = tmp_path / f"{name}.yaml"
        file.write_text((PROJECT / f"Documentation/backends/{name}.yaml").read_text().replace("{identifier}", product.identifier))
        started.append(PlayedBackend(product, key, certificate))
        return started[-1], certificate, file

    yield make
    for backend in started:
        backend.stop()


@pytest.mark.parametrize("name", ["simplejwt", "allauth-jwt"])
def test_no_identifier_is_needed(start, tmp_path, name):
    backend, certificate, file = start(name)
    product = backend.product
    console = start_console(tmp_path / "console", product, backend.origin, certificate, {}, file=file)
    phone = FilePhone(console, product)
    if product.way == "code":
        asked = phone.must("POST", "/api/login/code", {}, status=202).json
        assert asked["identifier_masked"] == ""
        phone.must("POST", "/api/login/code/verify", {"code": product.secret})
    else:
        phone.must("POST", "/api/login/password", {"password": product.secret})
    assert phone.session()["state"] == "authenticated"
    assert [step for step in backend.situations() if step != "account"] == (["ask", "redeem"] if product.way == "code" else ["redeem"])
    phone.close()
    assert console.stop() == 0
    console.log.close()


def test_an_identifier_that_is_asked_for_is_needed(start, tmp_path):
    backend, certificate, _ = start("simplejwt")
    console = start_console(tmp_path / "console", backend.product, backend.origin, certificate, {})
    phone = FilePhone(console, backend.product)
    answer = phone.call("POST", "/api/login/password", {"password": backend.product.secret})
    assert (answer.status, answer.code, answer.json["field"]) == (400, "invalid_request", "identifier"), answer
    assert backend.situations() == []
    phone.close()
    assert console.stop() == 0
    console.log.close()


@pytest.mark.parametrize("name", ["simplejwt", "allauth-jwt"])
def test_a_check_needs_no_identifier(start, tmp_path, name):
    backend, certificate, file = start(name)
    password = tmp_path / "password"
    password.write_text(backend.product.secret)
    password.chmod(0o600)
    source = ["--code-command", f"printf {backend.product.secret}"] if backend.product.way == "code" else ["--password-file", password]
    command = [binary(), "check", *file_flags(backend.product, backend.origin, certificate, file), *source, "--format", "json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNDERSTUDY_")}
    ended = subprocess.run(
        [str(word) for word in command], env=environment, text=True, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
    assert ended.stdout, ended.stderr
    checks = {check["id"]: check for check in json.loads(ended.stdout)["checks"]}
    way = backend.product.way
    assert checks[f"{way}-sign-in"]["outcome"] == "passed", checks[f"{way}-sign-in"]
