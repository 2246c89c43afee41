"""No async function of the release program reads which thread it runs on, or contains a lock.

What a synchronous function learns of its thread is true until it returns. An async function may go on elsewhere after an `await`, and the
optimizer does not know that: it may use the address of a thread-local variable, `pthread_self()` or the place of `errno` again.
"""

import re
import subprocess
from pathlib import Path

# The parts into which the compiler splits an async function end in TQ<n>_ or TY<n>_; the function itself is the part before the first await.
PART = re.compile(r"T[QY]\d+_$")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$", re.MULTILINE)
THREAD = re.compile(
    r"%fs:(?!0x28\b)"  # a thread-local variable; at 0x28 lies the canary of the stack
    r"|\bcall\b.*<(?:pthread_self|__errno_location|__tls_get_addr|gettid)(?:@plt)?>"
    r"|_MutexHandle\w*(?:lock|unlock)Slow"
)


def readers(program, least=1):
    """The async functions that read their thread, by symbol; there must be at least so many async functions."""
    text = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", "--wide", program], capture_output=True, text=True, check=True).stdout
    parts = FUNCTION.split(text)
    functions = dict(zip(parts[1::2], parts[2::2]))
    starts = {PART.sub("", name) for name in functions if PART.search(name)}
    assert len(starts) >= least, f"only {len(starts)} async functions: is this the program?"
    return [name for name, body in functions.items() if (name in starts or PART.search(name)) and THREAD.search(body)]


def test_no_async_function_reads_its_thread(program):
    found = readers(program, least=500)
    words = subprocess.run(["swift", "demangle", "--compact", *found], capture_output=True, text=True, check=True).stdout if found else ""
    assert not found, words


def test_the_search_finds_what_it_looks_for(tmp_path):
    program = tmp_path / "stale-thread"
    source = Path(__file__).with_name("stale-thread") / "main.swift"
    subprocess.run(["swiftc", "-O", "-swift-version", "6", source, "-o", program], check=True)
    assert any("5count" in name for name in readers(program))
