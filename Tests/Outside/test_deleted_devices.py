"""A device that is deleted while it still reads from the disk harms nobody else."""

from contextlib import closing

from console_process import Browser
from verdicts import error


def test_devices_that_are_deleted_at_once_leave_the_console_writable(site):
    """A read that is cut off must not leave the database read-only: each of these devices has reads under way when it goes."""
    for number in range(250):
        with closing(Browser(site.console.port)) as browser:
            script = site.backend.script(browser.make_device())
            script.answers["/rpc/request_login_code"] = error(403, "flat", "too_many_attempts")
            for _ in range(1 + number % 2):
                browser.must("POST", "/api/login/code", {"identifier": f"guest{number}@foreign.example"}, status=429)
            answer = browser.call("DELETE", "/api/device")
            assert answer.status == 204, (number, answer, site.console.errors[-1000:])
