"""The rule that judges the names of tests."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts/lib"))
import test_names


def test_words_of_names_are_counted():
    assert [test_names.words(name) for name in ("test_a_code_of_6", "aHARFileIsRead", "b28ARepeatedCallHasOneEffect")] == [4, 5, 7]


def test_only_names_of_tests_are_judged():
    long = "aNameThatGoesOnForMoreThanEightWords"
    swift = f"@Suite struct A {{\n  @Test(arguments: [1, 2])\n  func {long}() {{}}\n  func {long}Again() {{}}\n}}"
    python = "def test_a_name_that_goes_on_for_more_words():\n    pass\n\n\ndef a_name_that_goes_on_for_more_words():\n    pass\n"
    assert test_names.long_names("swift", [("A.swift", swift)]) == [("A.swift", long)]
    assert test_names.long_names("py", [("a.py", python)]) == []
    assert test_names.long_names("py", [("a.py", python.replace("more", "many_more"))]) == [("a.py", "test_a_name_that_goes_on_for_many_more_words")]
