"""The mutants of `Tests/Mutants`: small deliberate faults, each with the promise that it breaks and the tests that should notice it."""

import re
import tomllib
from dataclasses import dataclass

FOLDER = "Tests/Mutants"
FIELDS = {"id", "file", "text", "replacement", "promise", "tests"}
# What runs a test file, by the form of its path.
RUNNERS = {
    "pytest": r"Tests/(Browser|Survival|Outside)/test_\w+\.py",
    "deno": r"Tests/JavaScript/[\w-]+\.test\.js",
    "swift": r"Tests/\w+Tests/(\w+/)*[\w+-]+Tests\.swift",
}
# How Swift begins that is no expression of its own: a statement, or a part of a string.
NO_EXPRESSION = re.compile(r"\\\(|(default|case|let|var|guard|for|while|return|throw|func|static|private|defer)\b|if .*\{$")


@dataclass(frozen=True)
class Mutant:
    """One fault: `text` occurs once in `file`, and `replacement` takes its place."""

    id: str
    file: str
    text: str
    replacement: str
    promise: str
    tests: tuple
    # The name of the TOML file without its ending.
    kind: str

    @property
    def is_swift(self):
        """Whether it is built into the program, where a variable turns it on."""
        return self.file.endswith(".swift")

    @property
    def switch(self):
        """The Swift expression that chooses between the text and its replacement."""
        return f'(mutantIsOn("{self.id}") ? ({self.replacement}) : ({self.text}))'


def runner(test):
    """The name of what runs a test file; None if nothing does."""
    return next((name for name, form in RUNNERS.items() if re.fullmatch(form, test)), None)


def load(root):
    """All mutants in the order of their files."""
    found = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
            if set(entry) != FIELDS:
                raise ValueError(f"{path.name}: {entry.get('id')} needs the fields {', '.join(sorted(FIELDS))} and no others")
            found.append(Mutant(**{**entry, "tests": tuple(entry["tests"])}, kind=path.stem))
    return found


def problems(root, mutants):
    """What is wrong with the mutants, a line each."""
    seen = set()
    for mutant in mutants:
        if mutant.id in seen or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mutant.id):
            yield f"{mutant.id}: the id is not unique, or not in lower case with hyphens"
        seen.add(mutant.id)
        file = root / mutant.file
        count = file.read_text(encoding="utf-8").count(mutant.text) if mutant.text and file.is_file() else 0
        if not re.match(r"(Public|Sources)/", mutant.file) or not file.is_file():
            yield f"{mutant.id}: there is no {mutant.file} in Public or Sources"
        elif count != 1:
            yield f"{mutant.id}: the text occurs {count} times in {mutant.file}, not once: {mutant.text}"
        if mutant.text == mutant.replacement or not mutant.promise.endswith("."):
            yield f"{mutant.id}: the replacement equals the text, or the promise is no sentence"
        if mutant.is_swift and any(NO_EXPRESSION.match(part) for part in (mutant.text, mutant.replacement)):
            yield f"{mutant.id}: the text and the replacement are expressions in Swift, because the program chooses between them"
        if not mutant.tests:
            yield f"{mutant.id}: it names no test file"
        for test in mutant.tests:
            if runner(test) is None or not (root / test).is_file():
                yield f"{mutant.id}: there is no test file {test}"
            elif (runner(test) == "deno" and mutant.is_swift) or (runner(test) == "swift" and not mutant.is_swift):
                yield f"{mutant.id}: {test} does not test {mutant.file}"
