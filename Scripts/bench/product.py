"""Compares what the console answers on its own paths with nginx, which answers the same bytes with the same header fields."""
import http.client
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import console
import figures
import servers

# What nginx writes itself.
OWN = {"date", "content-length", "connection", "keep-alive", "etag", "last-modified", "content-type", "content-encoding", "accept-ranges", "vary"}
NGINX = """worker_processes 1; daemon off; pid {root}/nginx.pid; error_log {root}/error.log;
events {{ worker_connections 20000; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_timeout 300; keepalive_requests 1000000000; gzip_static on; gzip_vary on;
 server_tokens off; open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; types {{ {types} }}
 client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;
 uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi;
 server {{ listen 127.0.0.1:{port}; root {root}/www;
 location = /healthz {{ {health_type} {health_fields} return 200 '{health}'; }}
 location / {{ {asset_fields} }} }} }}
"""


def ask(port, path, *fields):
    """Status, fields and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=dict(fields))
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()


def same(fields):
    """The fields that nginx has to be told."""
    return " ".join(f"add_header {name} {quoted(value)};" for name, value in fields if name.lower() not in OWN)


def quoted(value):
    return "'" + value.replace("'", "\\'") + "'"


def asset():
    """The path of the asset of about 10 KB."""
    public = servers.ROOT / "Public"
    files = [file for file in (public / "assets").rglob("*.js")]
    return "/" + str(min(files, key=lambda file: abs(file.stat().st_size - 10_240)).relative_to(public))


def peer(root, port_of_console, path):
    """nginx with the console's answers."""
    (root / "www").mkdir(parents=True)
    file = root / "www" / path.lstrip("/")
    file.parent.mkdir(parents=True)
    _, fields, body = ask(port_of_console, path)
    file.write_bytes(body)
    pathlib.Path(str(file) + ".gz").write_bytes(ask(port_of_console, path, ("Accept-Encoding", "gzip"))[2])
    for one in file.parent.iterdir():
        os.utime(one, (1_700_000_000, 1_700_000_000))
    _, health_fields, health = ask(port_of_console, "/healthz")
    types = dict((name.lower(), value) for name, value in fields)["content-type"].split(";")[0]
    port = servers.free_port()
    (root / "nginx.conf").write_text(NGINX.format(
        root=root, port=port, types=f"{types} js;", health=health.decode(), asset_fields=same(fields), health_fields=same(health_fields),
        health_type=f"default_type {quoted(dict((name.lower(), value) for name, value in health_fields)['content-type'])};"))
    subprocess.run(["chmod", "-R", "a+rX", root], check=True)
    nginx = servers.Server("nginx", ["nginx", "-c", root / "nginx.conf", "-p", root], port)
    for one, wanted in ((path, body), ("/healthz", health)):
        status, given, got = ask(port, one)
        if status != 200 or got != wanted:
            raise SystemExit(f"nginx answers {one} with other bytes")
        missing = {name.lower() for name, _ in (fields if one == path else health_fields)} - {name.lower() for name, _ in given} - {"keep-alive"}
        if missing - {"accept-ranges", "vary"}:
            raise SystemExit(f"nginx lacks {missing} on {one}")
    return nginx


def rows(options, wrk):
    """Prints the rows; UNDERSTUDY_BINARY names a release build, UNDERSTUDY_BEFORE an earlier one to compare with in the same rounds."""
    binary = os.environ.get("UNDERSTUDY_BINARY") or servers.ROOT / ".build/release/understudy"
    if options.only.lower() not in "product" or not pathlib.Path(binary).exists():
        return
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-product-"))
    root.chmod(0o755)
    running = []
    try:
        for name, program in (("console", binary), ("before", os.environ.get("UNDERSTUDY_BEFORE"))):
            if program:
                running.append(served(name, program, root))
        path = asset()
        running.append(peer(root / "nginx", running[0].port, path))
        work = [
            ("GET /healthz", "/healthz", [], 1.0), ("asset of 10 KB", path, [], 1.1),
            ("asset of 10 KB, gzip", path, ["-H", "Accept-Encoding: gzip"], 1.1), ("304 of it", path, None, 1.1),
        ]
        for name, one, arguments, goal in work:
            compare(options, wrk, running, name, one, arguments, goal)
        device_rows(options, wrk, running)
    finally:
        for server in running:
            server.stop()
        shutil.rmtree(root, ignore_errors=True)


def served(name, program, root):
    """A console with one loop on the measured core."""
    port = servers.free_port()
    return servers.Server(name, [
        program, "serve", "--host", "127.0.0.1", "--port", port, "--data", root / name, "--loops", "1", "--limits", "off", "--public",
        servers.ROOT / "Public"], port)


def compare(options, wrk, running, name, path, arguments, goal, fields=None):
    costs = {server.name: [] for server in running}
    for _ in range(options.rounds):
        for server in running:
            given = arguments
            if given is None:
                tag = dict((key.lower(), value) for key, value in ask(server.port, path)[1])["etag"]
                given = ["-H", f"If-None-Match: {tag}"]
            given = [*given, *(fields or {}).get(server.name, [])]
            count, spent, _ = wrk(server, path, given, False, options.seconds)
            costs[server.name].append(spent / max(count, 1) * 1e6)
    medians = {key: statistics.median(value) for key, value in costs.items()}
    own = medians.pop("console")
    ratios = [figures.judged(f"{key} {value / own:.2f}", value / own, goal if key == "nginx" else None) for key, value in medians.items()]
    spread = f"{min(costs['console']):.1f}–{max(costs['console']):.1f}"
    print(f"{name:26}{own:10.2f} ({spread})   {', '.join(ratios)}", flush=True)


def device_rows(options, wrk, running):
    """Answers about a device, beside nginx's `return 200`."""
    fields, callers = {}, {}
    for server in running[:-1]:
        callers[server.name] = caller = console.Caller(f"http://127.0.0.1:{server.port}")
        caller.enter()
        caller.sign_in()
        fields[server.name] = [text for name, value in caller.headers.items() for text in ("-H", f"{name}: {value}")]
    nginx = running[-1]
    # Goals: of nginx's `return 200`, and of the earlier program.
    work = [("/api/state", 0.25, None), ("/api/network?limit=20", None, 2)]
    for path, goal, gain in work:
        costs = {server.name: [] for server in running}
        for _ in range(options.rounds):
            for server in running:
                count, spent, _ = wrk(server, "/healthz" if server is nginx else path, fields.get(server.name, []), False, options.seconds)
                costs[server.name].append(spent / max(count, 1) * 1e6)
        medians = {key: statistics.median(value) for key, value in costs.items()}
        own = medians.pop("console")
        goals = {"nginx": goal, "before": gain}
        ratios = [figures.judged(f"{key} {value / own:.2f}", value / own, goals[key]) for key, value in medians.items()]
        spread = f"{min(costs['console']):.1f}–{max(costs['console']):.1f}"
        print(f"{'GET ' + path:26}{own:10.2f} ({spread})   {', '.join(ratios)}", flush=True)
    for path in ("/api/account", "/api/cues"):
        calls(options, running[:-1], callers, path)


def calls(options, running, callers, path, count=100):
    """Answers for which the client calls the backend. A nonce is a second and never used twice, so few of them fit into its window."""
    costs = {server.name: [] for server in running}
    for _ in range(options.rounds):
        for server in running:
            before = server.cpu()
            for _ in range(count):
                callers[server.name].ask("GET", path)
            costs[server.name].append((server.cpu() - before) / count * 1e6)
    medians = {key: statistics.median(value) for key, value in costs.items()}
    own = medians.pop("console")
    ratios = [figures.judged(f"{key} {value / own:.2f}", value / own, 2) for key, value in medians.items()]
    spread = f"{min(costs['console']):.1f}–{max(costs['console']):.1f}"
    print(f"{'GET ' + path:26}{own:10.2f} ({spread})   {', '.join(ratios)}", flush=True)
