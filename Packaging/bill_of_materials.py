"""Prints the CycloneDX 1.5 bill of materials of a built program. usage: bill_of_materials.py <program> <Package.resolved>

Swift packages come from Package.resolved, as built; shared libraries from what the program loads, with the Debian package
that owns each. The Swift runtime is one of them, or linked into the program. The serial number is made of the content, so the same
build has the same bill.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

# Only linked into benchmarks and tests, or only used during the build.
NOT_SHIPPED = {"swift-docc-plugin", "swift-docc-symbolkit"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def swift_packages(resolved: str) -> list[dict]:
    with open(resolved, encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    parts = []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        if pin["identity"] in NOT_SHIPPED:
            continue
        version = pin["state"].get("version") or pin["state"]["revision"]
        location = re.sub(r"^https://|\.git$", "", pin["location"])
        parts.append({
            "type": "library", "bom-ref": f"pkg:swift/{location}@{version}", "name": pin["identity"], "version": version,
            "purl": f"pkg:swift/{location}@{version}",
            "properties": [{"name": "git:revision", "value": pin["state"]["revision"]}],
        })
    return parts


def owner(library: str) -> tuple[str, str] | None:
    """Returns the Debian package of a file and its version, or None if it belongs to none (the Swift runtime of a toolchain)."""
    spellings = {library, os.path.realpath(library)}
    spellings |= {spelling.removeprefix("/usr") for spelling in spellings} | {"/usr" + spelling for spelling in spellings}
    for spelling in sorted(spellings):
        found = subprocess.run(["dpkg-query", "-S", spelling], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            return package.split(":")[0], run("dpkg-query", "-W", "-f=${Version}", package)
    return None


def shared_libraries(program: str) -> list[dict]:
    parts: dict[str, dict] = {}
    for line in run("ldd", program).splitlines():
        match = re.search(r"(\S+) => (/\S+)", line)
        if not match:
            continue
        name, path = match.groups()
        package = owner(path)
        if package:
            reference = f"pkg:deb/debian/{package[0]}@{package[1]}"
            part = {"type": "library", "name": package[0], "version": package[1], "purl": reference}
        else:
            part = swift_runtime()
            reference = part["bom-ref"]
        part = parts.setdefault(reference, part | {"bom-ref": reference, "properties": []})
        part["properties"].append({"name": f"file:{name}", "value": "sha256:" + digest(path)})
    runtime = swift_runtime()
    parts.setdefault(runtime["bom-ref"], runtime | {"properties": [{"name": "linking", "value": "static"}]})
    return [parts[key] for key in sorted(parts)]


def swift_runtime() -> dict:
    version = re.search(r"Swift version (\S+)", run("swift", "--version")).group(1)
    return {"type": "library", "name": "swift-runtime", "version": version, "bom-ref": f"swift-runtime@{version}"}


def bill(program: str, resolved: str) -> str:
    version = run(program, "version").split()[-1]
    parts = swift_packages(resolved) + shared_libraries(program)
    top = f"understudy@{version}"
    content = json.dumps(parts, sort_keys=True) + digest(program)
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.UUID(hashlib.sha256(content.encode()).hexdigest()[:32])),
        "metadata": {"component": {
            "type": "application", "bom-ref": top, "name": "understudy", "version": version,
            "hashes": [{"alg": "SHA-256", "content": digest(program)}],
        }},
        "components": parts,
        "dependencies": [{"ref": top, "dependsOn": [part["bom-ref"] for part in parts]}],
    }, indent=1) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(bill(sys.argv[1], sys.argv[2]), end="")
