"""Which tests a change touches."""

import ast
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts/test-new"
FILE = """import os

LIMIT = 3


@long
def test_first():
    assert LIMIT


def test_second():
    assert os
"""


@pytest.fixture(scope="module")
def script():
    """The script as a module."""
    loader = SourceFileLoader("test_new", str(SCRIPT))
    module = module_from_spec(spec_from_loader("test_new", loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(("lines", "found"), [
    ({6}, {"test_first"}), ({8}, {"test_first"}), ({11, 12}, {"test_second"}), ({3}, {"test_first", "test_second"}), ({1}, set()), ({5}, set()),
])
def test_edited_lines_select_their_tests(script, lines, found):
    assert script.python_tests(ast.parse(FILE), lines) == found


def test_swift_lines_select_the_function_before_them(script, tmp_path):
    file = tmp_path / "ThingTests.swift"
    file.write_text("struct ThingTests {\n  @Test func first() {\n    #expect(true)\n  }\n\n  @Test func second() {\n  }\n}\n")
    assert script.tests_in(str(file), {3}) == {"first"} and script.tests_in(str(file), {6}) == {"second"}
