"""A copy of the project in which the Swift mutants are choices at run time and the others are applied one at a time."""

import os
import subprocess
from contextlib import contextmanager

# One in each module that has mutants, so that none needs another import.
SWITCH = """import Glibc

/// The id of the mutant that this process runs.
private let mutantOfThisProcess = getenv("MUTANT").map { String(cString: $0) } ?? ""

/// Whether a mutant is on.
func mutantIsOn(_ id: String) -> Bool { mutantOfThisProcess == id }
"""


class Tree:
    """The copy, in a folder that is kept, so that the next build has less to do."""

    def __init__(self, source, folder):
        """Nothing is copied yet."""
        self.source, self.folder = source, folder

    def refresh(self, mutants):
        """Copies what changed since the last run, with the Swift mutants built in."""
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.source, capture_output=True, text=True, check=True
        ).stdout.split("\0")
        contents = {name: self.source / name for name in names if name and (self.source / name).is_file()}
        for mutant in mutants:
            if mutant.is_swift:
                text = contents[mutant.file] if isinstance(contents[mutant.file], str) else contents[mutant.file].read_text(encoding="utf-8")
                contents[mutant.file] = text.replace(mutant.text, mutant.switch)
                contents["/".join((*mutant.file.split("/")[:2], "MutantSwitch.swift"))] = SWITCH
        for name, content in contents.items():
            self._write(name, content)
        for path in self.folder.rglob("*"):
            name = path.relative_to(self.folder)
            if path.is_file() and name.parts[0] != ".build" and str(name) not in contents:
                path.unlink()
        (self.folder / ".build/test").mkdir(parents=True, exist_ok=True)

    def _write(self, name, content):
        target = self.folder / name
        data = content.encode() if isinstance(content, str) else content.read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if not isinstance(content, str):
            os.chmod(target, content.stat().st_mode)

    @contextmanager
    def applied(self, mutant):
        """The tree with the mutant; for a Swift mutant it is the environment of the run that makes the difference."""
        if mutant.is_swift:
            yield
            return
        file = self.folder / mutant.file
        before = file.read_text(encoding="utf-8")
        file.write_text(before.replace(mutant.text, mutant.replacement), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(before, encoding="utf-8")

    def build(self):
        """Builds the tests and programs of the copy; gives their folder."""
        done = subprocess.run(["Scripts/lib/build", "tests"], cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True)
        return self.folder / done.stdout.strip().splitlines()[-1]
