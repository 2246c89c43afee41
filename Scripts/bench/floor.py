"""The least that a server can cost here, by epoll and by io_uring: `floor.c` beside the probe and nginx."""
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import servers

SOURCE = pathlib.Path(__file__).with_name("floor.c")


def rows(options, running, pipelined, wrk):
    """Prints a row for each way and each work, with the ratio of nginx's cost to its own; left out without liburing."""
    if options.only.lower() not in "floor":
        return
    root = pathlib.Path(tempfile.mkdtemp(prefix="bench-floor-"))
    program = root / "floor"
    taking = list(running[:2])
    try:
        if subprocess.run(["cc", "-O2", "-o", program, SOURCE, "-luring"], capture_output=True).returncode:
            print("floor: left out, because a C compiler or liburing-dev is missing", flush=True)
            return
        for way in ("epoll", "io_uring"):
            port = servers.free_port()
            try:
                taking.append(servers.Server(way, [program, port, way], port))
            except SystemExit:
                print(f"floor: {way} is left out, because the kernel does not allow it", flush=True)
        for name, arguments in (("tiny", []), ("16 pipelined", ["-s", str(pipelined)])):
            compare(options, taking, name, arguments, wrk)
    finally:
        for server in taking[2:]:
            server.stop()
        shutil.rmtree(root, ignore_errors=True)


def compare(options, taking, name, arguments, wrk):
    costs = {server.name: [] for server in taking}
    for _ in range(options.rounds):
        for server in taking:
            count, spent, _ = wrk(server, "/tiny", arguments, False, options.seconds)
            costs[server.name].append(spent / max(count, 1) * 1e6)
    nginx = statistics.median(costs["nginx"])
    for server in (name for name in costs if name != "nginx"):
        own = statistics.median(costs[server])
        spread = f"{min(costs[server]):.2f}–{max(costs[server]):.2f}"
        print(f"{'floor, ' + name:22}{server:10}{own:8.2f} ({spread})   nginx {nginx / own:.2f}", flush=True)
