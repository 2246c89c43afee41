"""Devices in use while the disk of their database, with its write-ahead log, is full."""
import concurrent.futures
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import database
import devices

SECONDS, MEBIBYTES = 10, 512


def goes_on(page, freed):
    """Moves until it is acknowledged; returns how long after an instant that was."""
    while not page.move():
        assert time.monotonic() < freed + 60, "a page does not go on"
        time.sleep(0.1)
    return time.monotonic() - freed


def row(binary, count=200):
    """Prints the row; returns whether all went on."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-full-"))
    root.chmod(0o711)
    disk = root / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEBIBYTES}m", "tmpfs", disk], capture_output=True, check=False).returncode:
        root.rmdir()
        print("a full disk of PostgreSQL: not measured, since this user may mount nothing", flush=True)
        return True
    backend = database.Backend(binary, root / "backend")
    database.Person.backend = backend
    server, team = database.Server(disk), None
    try:
        team = database.Team(binary, backend, server, root / "three", devices.CONSOLES)
        pages = devices.signed_in(team, count)
        running = devices.Crowd(pages, pause=2)
        time.sleep(5)
        with open(disk / "stuffing", "wb", buffering=0) as stuffing, contextlib.suppress(OSError):
            while stuffing.write(bytes(65_536)):
                pass
        time.sleep(SECONDS)
        running.end()
        refused = sum(bool(page.doubtful) for page in pages)
        os.unlink(disk / "stuffing")
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            longest = max(pool.map(goes_on, pages, [time.monotonic()] * count))
        for page in pages:
            page.look()
        _, _, is_whole = running.summary(f"{count} devices, a disk of PostgreSQL that is full for {SECONDS} s, {refused} moves refused")
        print(f"the last page's move was taken {longest:.2f} s after there was room", flush=True)
        return is_whole and devices.signed_out_pages(pages) == 0
    finally:
        if team:
            team.stop()
        backend.stop()
        server.stop()
        subprocess.run(["umount", "-l", disk], check=True)
        shutil.rmtree(root, ignore_errors=True)
