"""Programs that the tests start. The kernel ends them when the tests end, however those end."""

import concurrent.futures
import resource
import shutil
import subprocess

LIMITS = {resource.RLIMIT_NOFILE: "nofile", resource.RLIMIT_FSIZE: "fsize", resource.RLIMIT_AS: "as"}
# The kernel sends the signal when the thread ends that started the program, so one thread that lasts starts all of them.
_starter = concurrent.futures.ThreadPoolExecutor(1, "starter")


def _tool(name):
    """The path of a program of util-linux."""
    path = shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
    assert path, f"{name} of util-linux is not installed"
    return path


def start_program(command, *, ending="KILL", limits=None, **options):
    """Starts a program that gets the signal `ending` when the tests end; `limits` are resource limits as {number: value}."""
    words = [_tool("setpriv"), "--pdeathsig", ending, "--"]
    if limits:
        words += [_tool("prlimit"), *(f"--{LIMITS[number]}={value}:{value}" for number, value in limits.items()), "--"]
    return _starter.submit(subprocess.Popen, [*words, *map(str, command)], **options).result()
