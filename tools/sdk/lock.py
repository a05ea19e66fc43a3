#!/usr/bin/env python3
"""The lock file of the SDK: sources.json names each source package with the digests of its files.

    lock.py fetch FOLDER   downloads what FOLDER does not have, and checks the digest of every file
    lock.py check          checks the lock file: digests, licences, a recipe for each package
    lock.py update         replaces each package by the newest version of its Debian release that the mirror has
    lock.py audit [--tracker FILE|URL]
                           compares each package with its Debian release and that release's security updates, names its
                           open vulnerabilities in Debian's security tracker, and fails if Debian has fixes that the
                           package lacks. The tracker is tracker.json by default
    lock.py tracker [FILE|URL]
                           writes tracker.json: what Debian's security tracker says of the packages; from its server by
                           default, or from a copy of its /tracker/data/json
    lock.py sbom [BINARY LICENSES]
                           prints the packages as a software bill of materials (CycloneDX 1.6), and the Go modules in a
                           binary; LICENSES is what `spool doctor --licenses --json` prints
    lock.py licenses       prints internal/checkup/sdk.json: the licences of libraries that do not report versions

The packages are Debian's, with Debian's patches where "patches" is true. Needs only the standard library.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import subprocess
import sys
import urllib.request
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import tracker
from tracker import Package, Vulnerability, newer, upstream

HERE = Path(__file__).resolve().parent
LOCK = HERE / "sources.json"
EXCERPT = HERE / "tracker.json"


def read() -> dict[str, Any]:
    """Return the lock file."""
    return json.loads(LOCK.read_text())


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(urls: list[str], to: Path, sha256: str) -> None:
    """Download a file from the first URL that gives the expected bytes.

    Args:
        urls: where the file is, the preferred mirror first.
        to: the file to write.
        sha256: its digest.
    """
    problems = []
    for url in urls:
        try:
            with urllib.request.urlopen(url, timeout=120) as answer:
                data = answer.read()
        except OSError as error:
            problems.append(f"{url}: {error}")
            continue
        if hashlib.sha256(data).hexdigest() == sha256:
            part = to.with_suffix(to.suffix + ".part")
            part.write_bytes(data)
            part.rename(to)
            return
        problems.append(f"{url}: other bytes than the lock file's")
    raise SystemExit("lock: " + "; ".join(problems))


def fetch(folder: Path) -> None:
    """Download the files of all packages and build tools into a folder."""
    lock = read()
    folder.mkdir(parents=True, exist_ok=True)
    for package in lock["packages"]:
        for file in package["files"]:
            to = folder / file["name"]
            if not to.exists() or digest(to) != file["sha256"]:
                path = f"{package['pool']}/{file['name']}"
                download([f"{mirror}/{path}" for mirror in lock["mirrors"]], to, file["sha256"])
    for tool in lock["tools"]:
        to = folder / tool["file"]
        if not to.exists() or digest(to) != tool["sha256"]:
            line = f"{tool['name']}=={tool['version']} --hash=sha256:{tool['sha256']}\n"
            requirements = folder / "requirements.txt"
            requirements.write_text(line)
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                 "--require-hashes", "--dest", folder, "--requirement", requirements],
                check=True,
            )  # fmt: skip
            requirements.unlink()


def index(mirror: str, release: str) -> dict[str, list[Package]]:
    """Return the source packages of a suite, as trixie or trixie-security, by name."""
    url = f"{mirror}/dists/{release}/main/source/Sources.xz"
    with urllib.request.urlopen(url, timeout=120) as answer:
        text = lzma.decompress(answer.read()).decode()
    found: dict[str, list[Package]] = {}
    for paragraph in text.split("\n\n"):
        fields = dict(re.findall(r"^(\S+?): ?(.*(?:\n .*)*)", paragraph, re.MULTILINE))
        if "Package" not in fields:
            continue
        files = [line.split() for line in fields["Checksums-Sha256"].split("\n") if line.strip()]
        found.setdefault(fields["Package"], []).append(
            {
                "version": fields["Version"],
                "pool": fields["Directory"],
                "files": [
                    {"name": name, "sha256": sha256}
                    for sha256, _, name in sorted(files, key=lambda f: f[2])
                    if not name.endswith((".asc", ".dsc"))
                ],
            }
        )
    return found


def complete(mirror: str, package: Package) -> bool:
    """Report whether a mirror has all files of a package."""
    for file in package["files"]:
        request = urllib.request.Request(f"{mirror}/{package['pool']}/{file['name']}", method="HEAD")
        try:
            urllib.request.urlopen(request, timeout=60).close()
        except OSError:
            return False
    return True


def update() -> None:
    """Write the newest version of each package to the lock file."""
    lock = read()
    mirror = lock["mirrors"][0]
    releases: dict[str, dict[str, list[Package]]] = {}
    for package in lock["packages"]:
        release = package["release"]
        if release not in releases:
            releases[release] = index(mirror, release)
        best: Package | None = None
        for candidate in releases[release][package["name"]]:
            if not package["patches"]:
                candidate["files"] = [file for file in candidate["files"] if ".orig" in file["name"]]
            if complete(mirror, candidate) and (best is None or newer(candidate, best)):
                best = candidate
        if best is None:
            raise SystemExit(f"lock: the mirror has no version of {package['name']} in {release}")
        if package.get("version") != best["version"]:
            print(f"{package['name']}: {package.get('version', 'new')} -> {best['version']}")
        package.update(best)
    LOCK.write_text(json.dumps(lock, indent=2) + "\n")


SECURITY = "http://deb.debian.org/debian-security"


def missing(package: Package, offered: list[Package]) -> str:
    """Return what a package lacks of the versions that Debian offers, or nothing.

    Versions from unstable count as releases: a fix of a stable release has their number with a suffix.

    Args:
        package: a package of the lock file.
        offered: the versions in its release, and in that release's security updates.
    """
    best = package
    for candidate in offered:
        if newer(candidate, best):
            best = candidate
    if best is not package:
        return f"Debian has {best['version']}"
    if not package["patches"] and re.search(r"[+~]deb\d+u\d+$", package["version"]):
        return "it is built without Debian's patches, which this version is"
    return ""


def write_excerpt(source: str = tracker.TRACKER) -> None:
    """Write tracker.json.

    Args:
        source: a file or URL with all data of the tracker.
    """
    data, everything = tracker.tracked(source)
    written = {
        "source": tracker.TRACKER,
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "sha256": hashlib.sha256(data).hexdigest(),
        "packages": tracker.excerpt(everything, read()["packages"]),
    }
    EXCERPT.write_text(json.dumps(written, indent=1) + "\n")


def audit(source: str = "") -> None:
    """Fail if Debian has fixes of a package that the lock file lacks. Print these and open vulnerabilities.

    Args:
        source: a file or URL with all data of Debian's tracker; tracker.json if empty.
    """
    lock = read()
    known: dict[str, dict[str, Vulnerability]] = {}
    if source:
        known = tracker.excerpt(tracker.tracked(source)[1], lock["packages"])
    elif EXCERPT.exists():
        written = json.loads(EXCERPT.read_text())
        known = written["packages"]
        print(f"vulnerabilities: Debian's security tracker on {written['date']}")
    else:
        print("vulnerabilities: not looked up, there is no tracker.json: lock.py tracker writes it")
    suites: dict[str, dict[str, list[Package]]] = {}
    found = 0
    for package in lock["packages"]:
        name, release = package["name"], package["release"]
        if release not in suites:
            suites[release] = index(lock["mirrors"][0], release)
            if release != "sid":
                for other, versions in index(SECURITY, f"{release}-security").items():
                    suites[release].setdefault(other, []).extend(versions)
        lacks = missing(package, suites[release].get(name, []))
        listed = tracker.vulnerabilities(package, known.get(name, {}))
        for line in [lacks] * bool(lacks) + [line for line, _ in listed]:
            print(f"{name} {package['version']}, of {release}: {line}")
        found += bool(lacks) or any(fixed for _, fixed in listed)
    if found:
        raise SystemExit(f"lock: {found} of {len(lock['packages'])} packages lack fixes of Debian")


def problems(lock: dict[str, Any]) -> list[str]:
    """Return what is wrong with the lock file."""
    wrong = []
    recipes = (HERE / "recipes.sh").read_text()
    for package in lock["packages"]:
        name = package["name"]
        if not package.get("license"):
            wrong.append(f"{name}: no licence")
        elif re.search(r"(?<!L)GPL", re.sub(r"WITH \S+", "", package["license"])):
            wrong.append(f"{name}: {package['license']} is not for libspool.so")
        if not re.search(rf"^build_{re.sub(r'[^a-z0-9]', '_', name)}\(\)", recipes, re.MULTILINE):
            wrong.append(f"{name}: no recipe")
        if not any(".orig.tar" in file["name"] for file in package.get("files", [])):
            wrong.append(f"{name}: no source archive")
        for file in package.get("files", []):
            if not re.fullmatch("[0-9a-f]{64}", file["sha256"]):
                wrong.append(f"{file['name']}: no SHA-256")
    if (HERE.parents[1] / "internal" / "checkup" / "sdk.json").read_text() != licenses():
        wrong.append("internal/checkup/sdk.json is not of this lock file: tools/sdk/lock.py licenses")
    if EXCERPT.exists():
        known = json.loads(EXCERPT.read_text())["packages"]
        names = (package["name"] for package in lock["packages"])
        wrong += [f"{name}: not in tracker.json, which lock.py tracker writes" for name in names if name not in known]
    return wrong


def modules(binary: str, licenses: Path) -> list[dict[str, Any]]:
    """Return the components of a bill of materials for the Go modules in a binary.

    Args:
        binary: the library or program.
        licenses: a file with the licences of its modules.
    """
    known = {one["name"]: one["license"] for one in json.loads(licenses.read_text())}
    built = subprocess.run(["go", "version", "-m", binary], check=True, capture_output=True, text=True).stdout
    version = re.search(r": go(\S+)", built)
    if version is None:
        raise SystemExit(f"lock: {binary} is not built by Go")
    found = [("go", version[1], known["Go"], f"pkg:golang/stdlib@{version[1]}")]
    for name, of in re.findall(r"^\tdep\t(\S+)\t(\S+)", built, re.MULTILINE):
        found.append((name, of, known[name], f"pkg:golang/{name}@{of}"))
    return [
        {"type": "library", "name": name, "version": of, "purl": purl, "licenses": [{"expression": license}]}
        for name, of, license, purl in found
    ]


def sbom(binary: str = "", licenses: str = "") -> None:
    """Print a CycloneDX document.

    Args:
        binary: a library or program whose Go modules are listed too, or nothing.
        licenses: the file with the licences of these.
    """
    lock = read()
    components = [
        {
            "type": "library",
            "name": package["name"],
            "version": upstream(package["version"]),
            "purl": f"pkg:deb/debian/{package['name']}@{package['version']}?arch=source&distro={package['release']}",
            "licenses": [{"expression": package["license"]}],
            "externalReferences": [
                {
                    "type": "source-distribution",
                    "url": f"{lock['mirrors'][0]}/{package['pool']}/{file['name']}",
                    "hashes": [{"alg": "SHA-256", "content": file["sha256"]}],
                }
                for file in package["files"]
            ],
        }
        for package in lock["packages"]
    ]
    if binary:
        components += modules(binary, Path(licenses))
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    print(json.dumps(document, indent=1))


# The libraries that report their own versions (internal/checkup/version.go).
KNOWN = {"ffmpeg", "lcms2", "libavif", "libdeflate", "libjpeg-turbo", "libpng1.6", "libwebp", "openjpeg2", "vips"}


def licenses() -> str:
    """Return the names, versions and licences of the other libraries."""
    lines = [
        json.dumps({"name": package["name"], "version": upstream(package["version"]), "license": package["license"]})
        for package in read()["packages"]
        if package["name"] not in KNOWN
    ]
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def main() -> None:
    """Run a command."""
    match sys.argv[1:]:
        case ["fetch", folder]:
            fetch(Path(folder))
        case ["check"]:
            wrong = problems(read())
            if wrong:
                raise SystemExit("\n".join("lock: " + problem for problem in wrong))
        case ["update"]:
            update()
        case ["audit"]:
            audit()
        case ["audit", "--tracker", source]:
            audit(source)
        case ["tracker"]:
            write_excerpt()
        case ["tracker", source]:
            write_excerpt(source)
        case ["sbom", *built]:
            sbom(*built)
        case ["licenses"]:
            print(licenses(), end="")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
