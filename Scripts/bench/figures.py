"""Figures other than ratios: handshakes, latency, system calls, allocations, memory, event streams, start."""
import os
import re
import resource
import selectors
import shutil
import signal
import socket
import ssl
import statistics
import subprocess
import time

import servers


def judged(text, value, goal, at_most=False):
    """Returns the text with the goal, and a mark if it was missed."""
    if goal is None:
        return text
    missed = value > goal if at_most else value < goal
    return f"{text} ({'<=' if at_most else '>='} {goal:g}{', MISSED' if missed else ''})"


def line(name, value, unit, goal=None, at_most=True):
    print(judged(f"{name:44}{value:12.2f} {unit}", value, goal, at_most), flush=True)


def handshakes(probe, nginx, rounds):
    """Connections with one request each, by openssl; the cost is the server's processor time."""
    for name, mode in (("full handshakes", "-new"), ("resumed handshakes", "-reuse")):
        costs = {"probe": [], "nginx": []}
        for _ in range(rounds):
            for server in (probe, nginx):
                before = server.cpu()
                text = subprocess.run(
                    ["taskset", "-c", str(servers.LOAD_CORE), "openssl", "s_time", "-connect", f"127.0.0.1:{server.tls_port}",
                     "-www", "/tiny", mode, "-time", "2"], capture_output=True, text=True).stdout
                spent = server.cpu() - before
                counts = re.findall(r"(\d+) connections in \d+ real", text)
                if counts:
                    costs[server.name].append(spent / max(int(counts[-1]), 1) * 1e6)
        if costs["probe"] and costs["nginx"]:
            own, other = (statistics.median(costs[name]) for name in ("probe", "nginx"))
            print(f"{name:22}{own:14.2f}   " + judged(f"nginx {other / own:.2f}", other / own, 0.95), flush=True)


def rest(binary, site, probe, nginx, only):
    for function in (latency, calls, allocations, idle, streams, start):
        if only.lower() in function.__name__:
            function(binary, site, probe, nginx)


def latency(binary, site, probe, nginx):
    """The 99th percentile at half of nginx's peak rate; wrk waits 10 ms after each answer."""
    peak = wrk_text(nginx, ["-c64", "-d2s"])
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", peak).group(1)) / 2
    script = site.root / "delay.lua"
    script.write_text("delay = function() return 10 end\n")
    result = {}
    for server in (nginx, probe):
        values = []
        for _ in range(3):
            text = wrk_text(server, [f"-c{max(int(rate / 100), 8)}", "-d3s", "--latency", "-s", str(script)])
            number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
            values.append(float(number) * {"us": 1, "ms": 1e3, "s": 1e6}[unit])
        result[server.name] = statistics.median(values)
    line(f"p99 at {rate:.0f} requests a second", result["probe"], "us", result["nginx"])


def wrk_text(server, arguments):
    return subprocess.run(
        ["taskset", "-c", str(servers.LOAD_CORE), "wrk", "-t1", *arguments, f"http://127.0.0.1:{server.port}/tiny"],
        capture_output=True, text=True, check=True).stdout


def calls(binary, site, probe, nginx):
    """strace runs from the first request, so that calls and requests are counted over the same time."""
    if not shutil.which("strace"):
        return
    for connections, goal in ((64, 2.1), (1, 3.0)):
        trace = subprocess.Popen(
            ["strace", "-f", "-c", "-S", "calls", "-p", str(probe.process.pid)], stderr=subprocess.PIPE, text=True)
        time.sleep(0.7)
        text = subprocess.run(
            ["taskset", "-c", str(servers.LOAD_CORE), "wrk", "-t1", f"-c{connections}", "-d2s",
             f"http://127.0.0.1:{probe.port}/10k.html"], capture_output=True, text=True, check=True).stdout
        trace.send_signal(signal.SIGINT)
        table = trace.communicate()[1]
        requests = int(re.search(r"(\d+) requests in", text).group(1))
        total = sum(int(row.split()[3]) for row in table.splitlines() if re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+\d+", row)
                    and row.split()[-1] != "total")
        line(f"system calls a cached request, {connections} connections", total / max(requests, 1), "", goal)


COUNTER = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static unsigned long count;
static void *(*real)(size_t);
void *malloc(size_t size) {
  if (!real) real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  return real(size);
}
__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("COUNT_FILE");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) fprintf(file, "%lu", count), fclose(file);
}
"""


def allocations(binary, site, probe, nginx):
    """The difference between two runs that differ only in their number of requests, each within one second of the file."""
    if not shutil.which("cc"):
        return
    source, library = site.root / "count.c", site.root / "count.so"
    source.write_text(COUNTER)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)

    def run(path, number):
        told = site.root / "count"
        server = servers.probe(binary, site, environment={"LD_PRELOAD": str(library), "COUNT_FILE": str(told)})
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            request = f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
            for _ in range(number):
                client.sendall(request)
                read_answer(client)
        server.stop()
        return int(told.read_text())

    for path in ("/tiny", "/10k.html", "/tiny-async"):
        few, many = run(path, 200), run(path, 1200)
        line(f"heap allocations a request, {path}", (many - few) / 1000, "", None if "async" in path else 0.05)


def read_answer(client):
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(65_536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: (\d+)", head).group(1))
    while len(body) < length:
        body += client.recv(65_536)


def raise_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def idle(binary, site, probe, nginx):
    """Resident memory for each idle connection after one answer."""
    limit = raise_limit()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for name, is_tls, wanted, goal in (("plain", False, 10_000, 4), ("TLS", True, 2000, 25)):
        server = servers.probe(binary, site, tls=is_tls)
        clients = []
        count = min(wanted, limit - 200)
        try:
            def add(number):
                for _ in range(number):
                    client = socket.create_connection(("127.0.0.1", server.port))
                    if is_tls:
                        client = context.wrap_socket(client)
                    client.sendall(b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n")
                    read_answer(client)
                    clients.append(client)
            add(200)
            before = server.resident()
            add(count - 200)
            line(f"resident, each of {count} idle, {name}", (server.resident() - before) / (count - 200) / 1024, "KiB", goal)
        finally:
            for client in clients:
                client.close()
            server.stop()


def streams(binary, site, probe, nginx):
    """5,000 subscribers of one event a second for ten seconds: the loop's share of a core, and lost events."""
    count = min(5000, raise_limit() - 200)
    server = servers.probe(binary, site)
    waiting = selectors.DefaultSelector()
    clients = {}
    try:
        for _ in range(count):
            client = socket.create_connection(("127.0.0.1", server.port))
            client.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            client.setblocking(False)
            clients[client] = b""
            waiting.register(client, selectors.EVENT_READ)
        settle = time.monotonic() + 2
        end, cpu = settle + 10, None
        while time.monotonic() < end:
            if cpu is None and time.monotonic() >= settle:
                cpu = server.cpu()
            for key, _ in waiting.select(0.2):
                clients[key.fileobj] += key.fileobj.recv(65_536)
        line(f"{count} event streams, share of a core", (server.cpu() - cpu) / 10, "", 1)
        dropped = 0
        for text in clients.values():
            numbers = [int(number) for number in re.findall(rb'"number":(\d+)', text)]
            # At least nine of ten events: no gap, and no stream that ended early.
            dropped += (numbers[-1] - numbers[0] + 1 - len(numbers)) + max(9 - len(numbers), 0) if numbers else 9
        line(f"{count} event streams, events dropped", dropped, "", 0)
    finally:
        for client in clients:
            client.close()
        server.stop()


def start(binary, site, probe, nginx):
    """From the start of the process to the first 200, warm."""
    times = []
    for _ in range(5):
        begin = time.monotonic()
        server = servers.probe(binary, site)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /tiny HTTP/1.1\r\nHost: a\r\n\r\n")
            read_answer(client)
        times.append((time.monotonic() - begin) * 1000)
        server.stop()
    line("start of the probe to the first 200", statistics.median(times), "ms", 150)
    if (os.cpu_count() or 1) < 4:
        print("2 loops against 1: not measured, this machine has no cores for both and the load")
        return
    rates = {}
    for loops in (1, 2):
        server = servers.probe(binary, site, loops=loops)
        for pid in server.pids():
            os.sched_setaffinity(pid, range(loops))
        text = subprocess.run(
            ["taskset", "-c", "2,3", "wrk", "-t2", "-c128", "-d3s", f"http://127.0.0.1:{server.port}/tiny"],
            capture_output=True, text=True, check=True).stdout
        rates[loops] = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
        server.stop()
    line("2 loops against 1", rates[2] / rates[1], "times", 1.8, at_most=False)
