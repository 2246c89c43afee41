"""What the console does with an OpenAPI document that cannot be used: the backend's own, and one of a flag."""

import json
import subprocess

import pytest
from console_process import Console, NotStarted, binary
from foreign_backend import CLOSED, Answer, json_answer, page
from foreign_site import ForeignSite
from moments import until

HEAD = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}


def document(schema, **schemas):
    """A document whose one call answers with `schema`."""
    answers = {"200": {"description": "d", "content": {"application/json": {"schema": schema}}}}
    return json.dumps(HEAD | {"paths": {"/rpc/me": {"get": {"responses": answers}}}, "components": {"schemas": schemas}}).encode()


LOOP = document({"$ref": "#/components/schemas/A"}, A={"$ref": "#/components/schemas/B"}, B={"$ref": "#/components/schemas/A"})
# Ten million bytes of schemas.
LARGE = document({"$ref": "#/components/schemas/S0"}, **{f"S{n}": {"type": "string", "description": "d" * 930} for n in range(10_000)})
DEEP = b'{"openapi":' * 100_000
UNUSABLE = {
    "a page": page(200), "a loop": Answer(200, LOOP), "deep": Answer(200, DEEP), "cut": Answer(200, LOOP[:-20]),
    "another kind": json_answer(200, {"swagger": "2.0"}), "a list": json_answer(200, []), "empty": Answer(200, b""),
}


class Documents(ForeignSite):
    """A console whose backend's document changes at each start."""

    def restarted(self, answer):
        """A phone and what it sees of the document once that is decided; the backend was asked once."""
        self.decided(self.phone())
        self.backend.answers["/swagger.json"] = answer
        before = len(self.backend.requests("/swagger.json"))
        self.restart()
        phone = self.phone()
        found = self.decided(phone)
        phone.sign_in()
        assert phone.call("GET", "/api/account").status == 200
        assert len(self.backend.requests("/swagger.json")) == before + 1
        return phone, found

    def decided(self, phone):
        """The document's part of the drift section, once the fetch has ended."""
        self.phones.append(phone)
        def loaded():
            document = phone.must("GET", "/api/drift").json["document"]
            return None if document["state"] == "loading" else document

        return until(loaded, "the document is fetched")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    running = Documents(tmp_path_factory.mktemp("documents") / "site")
    running.phones = []
    yield running
    for phone in running.phones:
        phone.close()
    running.stop()


@pytest.mark.parametrize("name", UNUSABLE)
def test_the_section_says_why_the_backends_document_is_not_used(site, name):
    phone, found = site.restarted(UNUSABLE[name])
    assert (found["state"], found["reason"]) == ("none", "invalid"), found
    assert 0 < len(found["detail"]) <= 300 and "\n" not in found["detail"], found
    assert not [row for row in phone.rows() if row.get("drift")]


@pytest.mark.parametrize("answer, reason", [(page(404), "not_published"), (CLOSED, "unreachable")])
def test_a_backend_need_not_publish_a_document(site, answer, reason):
    _, found = site.restarted(answer)
    assert (found["state"], found["reason"]) == ("none", reason), found


def test_a_document_of_ten_million_bytes_is_compared(site):
    assert len(LARGE) > 9_500_000
    phone, found = site.restarted(Answer(200, LARGE))
    assert found["state"] == "comparing", found
    until(lambda: [row for row in phone.rows() if row["path"] == "/rpc/me" and row.get("drift")], phone.rows)


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_file_that_is_no_document_ends_the_start_with_one_line(tmp_path, name):
    file = tmp_path / "openapi.json"
    file.write_bytes(UNUSABLE[name].body)
    with pytest.raises(NotStarted) as end:
        Console(tmp_path / "data", "--openapi", file)
    lines = end.value.errors.strip().splitlines()
    assert end.value.code == 66 and len(lines) == 1 and "--openapi" in lines[0] and len(lines[0]) < 500, end.value


def test_a_har_without_answers_ends_the_start_with_one_line(tmp_path):
    file = tmp_path / "empty.har"
    file.write_text(json.dumps({"log": {"version": "1.2", "entries": []}}))
    command = [binary(), "backend", "--port", "0", "--data", tmp_path / "data", "--replay", file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 66 and len(done.stderr.strip().splitlines()) == 1, done
