"""The compared servers: how each is started on one core with the same files, and its processor time."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE, LOAD_CORE = 0, 1
SIZES = {"1k": 1024, "10k": 10_240, "64k": 65_536, "1m": 1_048_576}
NGINX = """worker_processes 1; daemon off; pid {root}/nginx.pid; error_log {root}/error.log;
events {{ worker_connections 20000; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_timeout 300; keepalive_requests 1000000000; gzip_static on;
 open_file_cache max=1000 inactive=600s; open_file_cache_valid 600s; types {{ text/html html; }}
 client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;
 uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi; ssl_protocols TLSv1.3; ssl_session_tickets on;
 server {{ listen 127.0.0.1:{plain}; listen 127.0.0.1:{tls} ssl; root {root}/www;
 ssl_certificate {root}/certificate.pem; ssl_certificate_key {root}/key.pem;
 location = /tiny {{ default_type application/json; add_header Cache-Control no-store;
 return 200 '{{"ok":true,"name":"probe"}}'; }}
 location = /tiny-async {{ default_type application/json; return 200 '{{"ok":true,"name":"probe"}}'; }} }} }}
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Site:
    """The served files, a P-256 certificate, and nginx's configuration, in a temporary folder."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="bench-"))
        self.www = self.root / "www"
        self.www.mkdir()
        line = "<p>The quick brown fox jumps over the lazy dog, and does so again in line {}.</p>\n"
        text = "".join(line.format(number) for number in range(20_000))
        for name, size in SIZES.items():
            (self.www / f"{name}.html").write_text(text[:size])
        subprocess.run(["gzip", "-9", "-k", self.www / "10k.html"], check=True)
        # Files changed within the last second are compared byte by byte, which must not be measured.
        for file in self.www.iterdir():
            os.utime(file, (1_700_000_000, 1_700_000_000))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-keyout", self.root / "key.pem", "-out", self.root / "certificate.pem"],
            check=True, capture_output=True)
        os.chmod(self.root, 0o755)

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)


class Server:
    """A running server; `cpu()` is the processor time of it and its children."""

    def __init__(self, name, command, port, tls_port=None, environment=None):
        self.name, self.port, self.tls_port = name, port, tls_port
        self.process = subprocess.Popen(
            ["taskset", "-c", str(CORE), *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})
        self.wait()

    def wait(self):
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.01)
        raise SystemExit(f"{self.name} does not answer on port {self.port}")

    def pids(self):
        own = self.process.pid
        return [own, *map(int, pathlib.Path(f"/proc/{own}/task/{own}/children").read_text().split())]

    def cpu(self):
        total = 0
        for pid in self.pids():
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
                try:
                    total += int((task / "schedstat").read_text().split()[0])
                except OSError:
                    pass
        return total / 1e9

    def resident(self):
        """Bytes of the largest of its processes."""
        return max(
            int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text()).group(1)) * 1024
            for pid in self.pids())

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def probe(binary, site, tls=False, loops=1, environment=None):
    port = free_port()
    command = [binary, "--port", port, "--root", site.www, "--loops", loops]
    if tls:
        command += ["--tls-certificate", site.root / "certificate.pem", "--tls-key", site.root / "key.pem"]
    return Server("probe", command, port, port if tls else None, environment)


def nginx(site):
    plain, tls = free_port(), free_port()
    configuration = site.root / "nginx.conf"
    configuration.write_text(NGINX.format(root=site.root, plain=plain, tls=tls))
    # If the master is root, its worker is another user, who must be able to read the files.
    return Server("nginx", ["nginx", "-c", configuration, "-p", site.root], plain, tls)


def peer(name, folder, site):
    binary = folder / f"{name}-peer"
    port = free_port()
    return Server(name, [binary, port, site.www], port) if binary.exists() else None
