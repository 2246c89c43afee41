"""What a stop must not change."""

import subprocess
from concurrent.futures import ThreadPoolExecutor

from console_process import PROJECT, Console


def test_the_tls_library_stays_up_until_the_last_thread_is_gone(start, tmp_path):
    library = tmp_path / "cleanup.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, PROJECT / "Tests/Faults/cleanup.c"], check=True)
    console = start(variables={"LD_PRELOAD": str(library)})
    assert console.stop() == 0
    assert "taken down" not in console.errors


def test_a_stop_right_after_the_start_ends(tmp_path):
    """The console asks its backend for a document at that moment, and the two ends of that connection stop together."""

    def stop_at_once(number):
        for _ in range(25):
            console = Console(tmp_path / str(number))
            assert console.stop() == 0

    with ThreadPoolExecutor(4) as several:
        for outcome in [several.submit(stop_at_once, number) for number in range(4)]:
            outcome.result()
