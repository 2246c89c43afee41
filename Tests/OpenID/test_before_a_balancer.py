"""Apache before a balancer of the consoles, whose file is changed as the comment in Apache's file says."""

import json
import re
import subprocess

import pytest
from apache import PROJECT
from balancer import HAPROXY, Balancer
from clients import SignedIn, Wire
from nginx_balancer import NginxBalancer

PERSON, STRANGER = "127.0.0.9", "127.0.0.8"


def suggested(pattern):
    """The lines of a comment in Apache's file, for an Apache that calls from 127.0.0.1."""
    lines = re.findall(rf"(?m)^#   ({pattern}.*)$", (PROJECT / "Packaging/apache-openidc.conf").read_text())
    assert len(lines) == 2 and any("192.0.2.10" in line for line in lines)
    return [line.replace("192.0.2.10", "127.0.0.1") for line in lines]


def edit_haproxy(text):
    """Replaces the two lines about the client's address."""
    text, count = re.subn(r"(?m)^    http-request (del|set)-header X-Forwarded-For.*\n", "", text)
    assert count == 2
    return text.replace("    default_backend", "".join(f"    {line}\n" for line in suggested("http-request")) + "    default_backend")


def edit_nginx(text):
    """Writes two lines before the one about the client's address."""
    before = "        proxy_set_header X-Forwarded-For $remote_addr;\n"
    assert text.count(before) == 1
    return text.replace(before, "".join(f"        {line}\n" for line in suggested("(?:set_real_ip_from|real_ip_header)")) + before)


@pytest.mark.parametrize(("kind", "edit"), [(Balancer, edit_haproxy), (NginxBalancer, edit_nginx)], ids=["haproxy", "nginx"])
def test_the_audit_log_names_who_calls_apache(site, tmp_path_factory, kind, edit):
    def noted(wire, fields):
        """Whom and which address the audit log names for a call."""
        assert wire.call("DELETE /api/workspaces/none/links", fields=fields)[0] in (400, 404)
        with Wire(site.port, olga.session) as asking:
            entry = json.loads(asking.ask("GET /api/audit?last=1 HTTP/1.1")[1])
        assert entry["action"] == "DELETE /api/workspaces/none/links"
        return entry["person"], entry["client"]

    olga = SignedIn(site.port, "olga@example.com")
    balancer = kind(site.balancer, [site.console.port] * 2, tmp_path_factory.mktemp("balancer"), edit)
    try:
        if kind is Balancer:
            checked = subprocess.run([HAPROXY, "-c", "-f", balancer.file], capture_output=True, text=True, check=False)
            assert checked.returncode == 0 and "WARNING" not in checked.stdout + checked.stderr, checked
        with site.behind(before=site.balancer):
            ann = SignedIn(site.further, "ann@example.com")
            for fields in ([], ["X-Forwarded-For: 192.0.2.1"], ["Connection: X-Forwarded-For"], ["Forwarded: for=192.0.2.1"]):
                with Wire(site.further, ann.session, PERSON) as wire:
                    assert noted(wire, fields) == ("ann@example.com", PERSON)
        # The balancer believes nobody else.
        named = ["X-Forwarded-Email: ben@example.com", f"X-Understudy-Proxy-Secret: {site.secret}"]
        for said in (["192.0.2.1"], ["192.0.2.1, 127.0.0.1"], ["192.0.2.1", "127.0.0.1"]):
            with Wire(site.balancer, "", STRANGER) as wire:
                assert noted(wire, [*named, *(f"X-Forwarded-For: {one}" for one in said)]) == ("ben@example.com", STRANGER)
    finally:
        balancer.stop()
