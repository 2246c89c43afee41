"""The goals of the network page as ratios to mitmweb in the same rounds, and the table that tells which are missed."""

import statistics
from typing import NamedTuple


class Goal(NamedTuple):
    """A figure of the page over the peer's of the same round, which aims to be at most so much."""

    label: str
    ours: list
    peer: list
    most: float


def spread(values, digits):
    """The median, with the least and the most of the rounds."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"


def ratios(goal):
    """The ratio of each round, whose two pages ran one after the other."""
    return [ours / peer for ours, peer in zip(goal.ours, goal.peer)]


def verdict(goal):
    """Whether the median of the rounds' ratios reaches the goal."""
    return "reached" if statistics.median(ratios(goal)) <= goal.most else "MISSED"


def lines(goals):
    """The table, a line for each goal, in milliseconds."""
    cells = [("", "program, ms", "mitmweb, ms", "ratio", "goal", "")]
    for goal in goals:
        shown = spread(goal.ours, 1), spread(goal.peer, 1), spread(ratios(goal), 2)
        cells.append((goal.label, *shown, f"{goal.most:.2f}", verdict(goal)))
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, (34, 24, 26, 20, 6, 8))).rstrip() for row in cells]


def goals(filled, larger, peer):
    """What the page aims at, from the figures of each page by round."""
    column = lambda figures, place: [one[place] for one in figures]
    return [
        Goal("first rows, 10,000", column(filled, 0), column(peer, 0), 0.15),
        Goal("a frame of scrolling, 10,000", column(filled, 1), column(peer, 1), 0.5),
        Goal("a frame of scrolling, 100,000", column(larger, 1), column(peer, 1), 0.5),
        Goal("filter p95, 10,000", column(filled, 6), column(peer, 6), 1),
        Goal("filter p95, 100,000 to 10,000", column(larger, 6), column(peer, 6), 1),
    ]
