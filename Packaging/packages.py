"""Makes the Debian package, the tarball, the bill of materials and their SHA-256 sums.

usage: packages.py PROGRAM RESOLVED CHECKOUTS OUT

PROGRAM is the stripped program, RESOLVED the Package.resolved of its build, and CHECKOUTS the folder with the sources of its Swift
packages. SOURCE_DATE_EPOCH is the time of every file; the same inputs make the same bytes.
"""
import datetime
import email.utils
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import bill_of_materials
import manual_page

PROJECT = Path(__file__).resolve().parent.parent
HERE = PROJECT / "Packaging"

# Debian 13 has the same names with another suffix, and its packages provide these.
DEPENDS = [
    "ca-certificates", "libc6 (>= 2.36)", "libcurl4", "libgcc-s1", "libpcre2-8-0", "libsqlite3-0", "libssl3", "libstdc++6", "zlib1g",
]
SUGGESTS = ["libpq5", "xdg-utils"]
MAINTAINER = "Understudy maintainers <maintainers@understudy.invalid>"
SUMMARY = "stand-in for the phone app, driven from a browser"
DESCRIPTION = """\
 The complete client of a mobile app (session, tokens, typed calls, caches,
 network log) runs in one process, and people drive it from a browser: they
 sign in, switch profiles, turn on fault rules and read every request.
 .
 A reference backend is included; another one is named by a flag.
"""

# Linked, but in no Swift package that is resolved.
TOOLCHAIN_LICENSES = {"Swift": None, "ICU": "licenses/ICU.txt", "LibYAML": "licenses/LibYAML.txt"}


def said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def gzipped(data: bytes) -> bytes:
    """Compressed without a name and a time."""
    return gzip.compress(data, 9, mtime=0)


def pages() -> dict[str, bytes]:
    """The files of the pages by their path below `Public`."""
    root = PROJECT / "Public"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def toolchain_license() -> str:
    """Swift's own license, which lies beside the compiler."""
    compiler = Path(shutil.which("swift") or sys.exit("packages: swift is not on the PATH")).resolve()
    return (compiler.parent.parent / "share" / "swift" / "LICENSE.txt").read_text()


def licenses(resolved: Path, checkouts: Path) -> dict[str, str]:
    """The license of each thing that is linked into the program, by its names; equal texts stand once."""
    texts = {name: (HERE / path).read_text() if path else toolchain_license() for name, path in TOOLCHAIN_LICENSES.items()}
    for part in bill_of_materials.swift_packages(str(resolved)):
        identity = part["name"].removesuffix(".swift")
        folder = next(path for path in checkouts.iterdir() if path.name.lower().removesuffix(".swift") == identity)
        found = sorted(path for path in folder.iterdir() if path.name.split(".")[0] in ("LICENSE", "NOTICE"))
        if not any(path.name.startswith("LICENSE") for path in found):
            sys.exit(f"packages: {folder.name} has no license")
        texts[f"{part['name']} {part['version']}"] = "\n".join(path.read_text() for path in found)
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(text.strip(), []).append(name)
    return {", ".join(of): text for text, of in names.items()}


def license_texts(third: dict[str, str]) -> str:
    return "\n\n".join(f"{'=' * 78}\n{name}\n{'=' * 78}\n\n{text}" for name, text in third.items()) + "\n"


def copyright_text(third: dict[str, str], texts: str, seconds: int) -> str:
    """What may be done with the package; `texts` names the file with the licenses of what is linked."""
    linked = "".join(f"  {name}\n" for names in third for name in names.split(", "))
    return (
        "Understudy has no license yet. Until its owner chooses one, all rights are reserved,\n"
        "and nobody may pass this package on.\n\n"
        f"Copyright {datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).year} the authors of Understudy, as its history names them.\n\n"
        f"{texts} has the licenses of what is linked into the program:\n\n{linked}\n"
        "The shared libraries that it loads are packages of Debian, with copyright files of their own.\n"
        "/usr/share/common-licenses/Apache-2.0 has the Apache License on Debian.\n")


def debian_changelog(version: str, seconds: int) -> str:
    return (
        f"understudy ({version}) unstable; urgency=medium\n\n  * See NEWS.gz for the changes.\n\n"
        f" -- {MAINTAINER}  {email.utils.formatdate(seconds, localtime=False).replace('-0000', '+0000')}\n")


def completions(program: Path, shell: str) -> bytes:
    script = said(str(program), "--generate-completion-script", shell)
    # Shells read these files; nothing runs them.
    return re.sub(r"\A#!.*\n", "", script).encode()


class Parts:
    """What both packages consist of."""

    def __init__(self, program: Path, resolved: Path, checkouts: Path, seconds: int):
        self.seconds = seconds
        self.program = program.read_bytes()
        self.version = said(str(program), "version").strip()
        described = json.loads(said(str(program), "--experimental-dump-help"))
        self.manual = manual_page.page(described, self.version, seconds).encode()
        self.completions = {shell: completions(program, shell) for shell in ("bash", "zsh", "fish")}
        self.licenses = licenses(resolved, checkouts)
        self.bill = bill_of_materials.bill(str(program), str(resolved)).encode()
        self.readme = (HERE / "README.md").read_bytes()
        self.news = (PROJECT / "CHANGELOG.md").read_bytes()


def debian_files(parts: Parts) -> dict[str, tuple[bytes, int]]:
    """The content of the Debian package by path, with the mode."""
    doc, units = "usr/share/doc/understudy", "usr/lib/systemd"
    files = {
        "usr/bin/understudy": (parts.program, 0o755),
        "usr/share/understudy/open-console": ((HERE / "debian/open-console").read_bytes(), 0o755),
        "usr/share/man/man1/understudy.1.gz": (gzipped(parts.manual), 0o644),
        "usr/share/bash-completion/completions/understudy": (parts.completions["bash"], 0o644),
        "usr/share/zsh/vendor-completions/_understudy": (parts.completions["zsh"], 0o644),
        "usr/share/fish/vendor_completions.d/understudy.fish": (parts.completions["fish"], 0o644),
        f"{units}/system/understudy.service": ((HERE / "understudy.service").read_bytes(), 0o644),
        f"{units}/user/understudy.service": ((HERE / "understudy-user.service").read_bytes(), 0o644),
        "usr/share/applications/understudy.desktop": ((HERE / "understudy.desktop").read_bytes(), 0o644),
        "usr/share/icons/hicolor/scalable/apps/understudy.svg": ((PROJECT / "Public/assets/icons/favicon.svg").read_bytes(), 0o644),
        f"{doc}/README.md": (parts.readme, 0o644),
        f"{doc}/NEWS.gz": (gzipped(parts.news), 0o644),
        f"{doc}/changelog.gz": (gzipped(debian_changelog(parts.version, parts.seconds).encode()), 0o644),
        f"{doc}/copyright": (copyright_text(parts.licenses, f"/{doc}/licenses.gz", parts.seconds).encode(), 0o644),
        f"{doc}/licenses.gz": (gzipped(license_texts(parts.licenses).encode()), 0o644),
        f"{doc}/bill-of-materials.json": (parts.bill, 0o644),
        "usr/share/lintian/overrides/understudy": ((HERE / "debian/lintian-overrides").read_bytes(), 0o644),
    }
    for name in ("apache-openidc.conf", "haproxy.cfg", "nginx.conf"):
        files[f"{doc}/examples/{name}"] = ((HERE / name).read_bytes(), 0o644)
    for path, data in pages().items():
        files[f"usr/share/understudy/Public/{path}"] = (data, 0o644)
    return files


def control(parts: Parts, files: dict[str, tuple[bytes, int]]) -> dict[str, tuple[bytes, int]]:
    """The files that tell dpkg what the package is."""
    size = sum(-(-len(data) // 1024) for data, _ in files.values())
    fields = {
        "Package": "understudy", "Version": parts.version, "Architecture": "amd64", "Maintainer": MAINTAINER,
        "Installed-Size": str(size), "Depends": ", ".join(DEPENDS), "Suggests": ", ".join(SUGGESTS), "Section": "devel",
        "Priority": "optional", "Description": f"{SUMMARY}\n{DESCRIPTION.rstrip()}",
    }
    text = "".join(f"{name}: {value}\n" for name, value in fields.items())
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, (data, _) in sorted(files.items()))
    scripts = {name: ((HERE / "debian" / name).read_bytes(), 0o755) for name in ("postinst", "prerm", "postrm")}
    return {"control": (text.encode(), 0o644), "md5sums": (sums.encode(), 0o644)} | scripts


def write_debian(parts: Parts, out: Path) -> Path:
    files = debian_files(parts)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        everything = files | {f"DEBIAN/{name}": entry for name, entry in control(parts, files).items()}
        for path, (data, mode) in sorted(everything.items()):
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            place.chmod(mode)
        for place in [root, *root.rglob("*")]:
            if place.is_dir():
                place.chmod(0o755)
            os.utime(place, (parts.seconds, parts.seconds))
        package = out / f"understudy_{parts.version}_amd64.deb"
        # One thread, because several cut the data in pieces that depend on the machine.
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "-z9", "-Sextreme", "--threads-max=1", "--build", str(root), str(package)],
            check=True, stdout=subprocess.DEVNULL)
    return package


def tarball_files(parts: Parts) -> dict[str, tuple[bytes, int]]:
    """The content of the tarball by path, with the mode. The program finds the pages beside it."""
    files = {
        "understudy": (parts.program, 0o755),
        "README.md": (parts.readme, 0o644),
        "CHANGELOG.md": (parts.news, 0o644),
        "COPYRIGHT.txt": (copyright_text(parts.licenses, "LICENSES.txt", parts.seconds).encode(), 0o644),
        "LICENSES.txt": (license_texts(parts.licenses).encode(), 0o644),
        "bill-of-materials.json": (parts.bill, 0o644),
        "man/man1/understudy.1": (parts.manual, 0o644),
        "completions/understudy.bash": (parts.completions["bash"], 0o644),
        "completions/_understudy": (parts.completions["zsh"], 0o644),
        "completions/understudy.fish": (parts.completions["fish"], 0o644),
    }
    for path, data in pages().items():
        files[f"Public/{path}"] = (data, 0o644)
    return files


def write_tarball(parts: Parts, out: Path) -> Path:
    name = f"understudy-{parts.version}-linux-x86_64"
    files = tarball_files(parts)
    folders = {str(folder) for path in files for folder in Path(path).parents if str(folder) != "."}
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted({"", *folders, *files}):
            entry = tarfile.TarInfo(f"{name}/{path}".rstrip("/"))
            entry.mtime = parts.seconds
            if path in files:
                data, entry.mode = files[path]
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
    # The filter for x86 saves a twentieth; every xz reads it.
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    package = out / f"{name}.tar.xz"
    package.write_bytes(lzma.compress(raw.getvalue(), lzma.FORMAT_XZ, lzma.CHECK_CRC64, filters=filters))
    return package


def main(program: str, resolved: str, checkouts: str, out: str) -> None:
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    parts = Parts(Path(program), Path(resolved), Path(checkouts), seconds)
    bill = folder / f"understudy-{parts.version}-bill-of-materials.json"
    bill.write_bytes(parts.bill)
    made = [write_debian(parts, folder), write_tarball(parts, folder), bill]
    sums = "".join(f"{bill_of_materials.digest(str(file))}  {file.name}\n" for file in sorted(made))
    (folder / "SHA256SUMS").write_text(sums)
    for file in sorted(made):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file.name}")
    print(sums, end="")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
