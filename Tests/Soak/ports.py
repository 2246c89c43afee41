"""Ports for programs whose port must be known before they start.

A port that the system chooses (0) can be given to a connection as soon as nothing listens there. These are below the system's range, and
each process of the tests has a block of its own.
"""

import itertools
import socket

FIRST, BLOCK, BLOCKS = 15_000, 100, 170
_blocks = []
_numbers = itertools.count()


def _listening(port):
    """A socket on a port of every address; throws if something listens there."""
    found = socket.socket()
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(("", port))
        found.listen(1)
    except OSError:
        found.close()
        raise
    return found


def _block():
    """The first port of this process's block, which it holds until it ends."""
    for first in range(FIRST, FIRST + BLOCK * BLOCKS, BLOCK):
        try:
            return _listening(first)
        except OSError:
            continue
    raise AssertionError("every block of ports is taken")


def next_port():
    """A port on which nothing listens now; the same one comes again only after all others of the block."""
    if not _blocks:
        _blocks.append(_block())
    first = _blocks[0].getsockname()[1]
    for _ in range(BLOCK):
        port = first + 1 + next(_numbers) % (BLOCK - 1)
        try:
            _listening(port).close()
            return port
        except OSError:
            continue
    raise AssertionError("every port of the block is taken")
