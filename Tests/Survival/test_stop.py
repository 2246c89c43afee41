"""What a stop must not change."""

import subprocess

from console_process import PROJECT


def test_the_tls_library_stays_up_until_the_last_thread_is_gone(start, tmp_path):
    library = tmp_path / "cleanup.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, PROJECT / "Tests/Faults/cleanup.c"], check=True)
    console = start(variables={"LD_PRELOAD": str(library)})
    assert console.stop() == 0
    assert "taken down" not in console.errors
