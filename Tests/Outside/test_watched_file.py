"""A backend file that changes while the console runs (`--watch`)."""

from console_process import Browser, Console
from moments import until

PASSWORD = """understudy: 1
calls:
  login_with_password:
    request: POST /in
    json: {name: "{identifier}", word: "{password}"}
"""
CODE = """understudy: 1
calls:
  request_login_code: {request: POST /code, json: {name: "{identifier}"}}
  login_with_code: {request: POST /in, json: {code: "{code}"}}
  logout: POST /out
"""


def test_a_changed_file_is_read_again_and_kept_if_it_is_wrong(tmp_path):
    file = tmp_path / "backend.yaml"
    file.write_text(PASSWORD)
    console = Console(tmp_path / "data", "--backend", "https://localhost:1", "--backend-file", file, "--watch")
    try:
        browser = Browser(console.port)
        browser.make_device()

        def state():
            return browser.must("GET", "/api/state").json

        def ways():
            return [call["call"] for call in state()["config"]["sign_in"]]

        assert ways() == ["login_with_password"] and "logout" in state()["config"]["hidden"]
        file.write_text(PASSWORD.replace("identifier", "identifer"))
        problem = until(lambda: state()["backend"].get("file_problem"), "the page can say what is wrong")
        assert problem.startswith(f"{file}:5:") and problem.endswith("(did you mean identifier?)"), problem
        assert ways() == ["login_with_password"]
        file.write_text(CODE)
        until(lambda: ways() == ["request_login_code", "login_with_code"], "the corrected file counts")
        assert "file_problem" not in state()["backend"] and "logout" not in state()["config"]["hidden"]
        file.unlink()
        assert until(lambda: state()["backend"].get("file_problem"), "a missing file is told").endswith("cannot be read")
        assert ways() == ["request_login_code", "login_with_code"]
        browser.close()
    finally:
        assert console.stop() == 0
