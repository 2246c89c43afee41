"""What was deleted is in no file, and a stopped console leaves whole files."""

import sqlite3

from console_process import Browser

NAME = "Zanzibar telephone"


def files_with(data, text):
    """The files of a data folder that hold the text."""
    return sorted(path.name for path in data.iterdir() if path.is_file() and text.encode() in path.read_bytes())


def test_the_name_of_a_deleted_device_is_in_no_file(start):
    console = start()
    browser = Browser(console.port)
    browser.make_device(NAME)
    assert files_with(console.data, NAME)
    browser.must("DELETE", "/api/device", status=204)
    browser.close()
    assert files_with(console.data, NAME) == []
    assert console.stop() == 0
    assert files_with(console.data, NAME) == []


def test_a_stop_leaves_everything_in_the_files_themselves(start):
    console = start()
    browser = Browser(console.port)
    browser.sign_in("dana@example.com")
    browser.must("GET", "/api/account")
    browser.close()
    assert console.stop() == 0
    for name, table in (("console.sqlite", "device"), ("evidence.sqlite", "log_row")):
        log = console.data / f"{name}-wal"
        assert not log.exists() or not log.stat().st_size, (name, log.stat().st_size)
        # Without the log beside it, as in a copy of the file alone.
        database = sqlite3.connect(f"file:{console.data / name}?immutable=1", uri=True)
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > 0, name
        database.close()
