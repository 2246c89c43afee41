"""Files that are replaced and truncated while they are served, and the valid contents of a complete answer."""

import os
import threading

BLOCK = 64
LARGE = 6 * 1024 * 1024  # more than the server keeps in memory
MEGABYTE = 1024 * 1024


def version(number, size):
    """Content with its version number in every block, so that mixtures are detected."""
    return f"version {number:08} ".encode().ljust(BLOCK - 1, b".") + b"\n", size // BLOCK


def content(number, size):
    """All bytes of a version."""
    block, count = version(number, size)
    return block * count


class Site:
    """A folder whose files change while the block runs."""

    SMALL = b"a small file of some lines\n" * 80
    FIXED = {"small.txt": SMALL, "megabyte.bin": bytes(range(256)) * (MEGABYTE // 256), "large.bin": content(7, LARGE)}
    REPLACED = {"replaced.txt": 4096, "replaced.bin": LARGE}
    CUT = {"cut.txt": content(1, 65_536), "cut.bin": content(2, LARGE)}

    def __init__(self, folder):
        self.folder = folder
        for name, bytes_ in {**self.FIXED, **self.CUT}.items():
            (folder / name).write_bytes(bytes_)
        for name, size in self.REPLACED.items():
            (folder / name).write_bytes(content(0, size))
        self.changes = 0

    def __enter__(self):
        self.ended = threading.Event()
        self.writer = threading.Thread(target=self._change)
        self.writer.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.writer.join()

    def _change(self):
        while not self.ended.wait(0.05):
            self.changes += 1
            for name, size in self.REPLACED.items():
                other = self.folder / f".{name}.new"
                other.write_bytes(content(self.changes, size))
                other.rename(self.folder / name)
            for name, bytes_ in self.CUT.items():
                path = self.folder / name
                os.truncate(path, self.changes * 8191 % len(bytes_))
                self.ended.wait(0.02)
                path.write_bytes(bytes_)

    def is_right(self, name, body):
        """Whether the file had these bytes at some time."""
        if name in self.FIXED:
            return body == self.FIXED[name]
        if name in self.CUT:
            return self.CUT[name].startswith(body)
        number = int(body[8:16]) if body[8:16].isdigit() else -1
        return 0 <= number <= self.changes and body == content(number, self.REPLACED[name])
