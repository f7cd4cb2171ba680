"""Brings claims and knowledge stores of AVeriTeC: resumed where it stopped, checked, never onto a full disk.

Runs before anything is installed, so it needs nothing but Python 3.10. It writes, below ``--output``,
``data_store/averitec/<split>.json`` and ``knowledge_store/<split>/<claim id>.json``, as the FEVER-8 organizers do, and
does nothing for what is already there. The source has ``data/<split>.json`` and, below ``data_store/knowledge_store``,
``<split>_knowledge_store.zip`` or a folder ``<split>`` of ZIP files. It is a repository of the Hugging Face hub, which
knows their checksums; another address, with these in a file ``SHA256SUMS``; or a folder, whose stores may also lie
unpacked in ``knowledge_store/<split>`` and are then linked to.

    python3 scripts/download.py SPLIT... [--source OWNER/NAME | ADDRESS | FOLDER] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import sys
import time
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

SOURCE = "chenxwh/AVeriTeC"
NAME = re.compile(r"[\w.-]+/[\w.-]+")
ADDRESS = re.compile("https?://", re.IGNORECASE)
HUB = re.compile(r"(?P<host>https?://[^/]+)/(?P<repository>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)$")
STORES = "data_store/knowledge_store"
FOLDERS = ("data", "data_store/averitec", "averitec", ".")  # where claims lie in a folder
UNPACKED = (STORES, "knowledge_store")
STORE = re.compile(r"(?:.*/)?(\d+\.json)")  # a claim's store within a ZIP, whatever folder it stands in
BLOCK = 1 << 20
ATTEMPTS = 5
PAUSE = 2.0  # seconds after the first failure; doubled after each


class DownloadError(Exception):
    """A download failed; the message says why and what to do."""


@dataclass(frozen=True)
class Remote:
    """A file at the source: its path there, and its SHA-256 where the source tells one."""

    path: str
    sha256: str


def main() -> int:
    """Download the splits that the command line names; 0 when all is there, 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(description="Download claims and knowledge stores of AVeriTeC.")
    parser.add_argument("splits", nargs="+", metavar="SPLIT", help="such as dev or test_2025")
    parser.add_argument(
        "--source", default=SOURCE, help=f"repository of the hub, address, or folder (default: {SOURCE})"
    )
    parser.add_argument("--output", type=Path, default=Path(), help="folder to write to (default: the working folder)")
    args = parser.parse_args()
    try:
        for split in args.splits:
            download(args.source, split, args.output)
    except DownloadError as error:
        print(f"download: {error}", file=sys.stderr)
        return 1
    return 0


def download(source: str, split: str, root: Path) -> None:
    """Bring one split, claims first.

    Args:
        source: a folder, the name of a repository on the hub (``HF_ENDPOINT``), or an address.

    Raises:
        DownloadError: the source does not answer, lacks the split, or sends what its checksum does not fit; or the
            disk is too small.
    """
    claims, stores = root / "data_store" / "averitec" / f"{split}.json", root / "knowledge_store" / split
    stores_there = any(stores.glob("*.json"))
    if claims.exists() and stores_there:
        print(f"{split}: is here already")
        return
    if Path(source).is_dir():
        take(Path(source), split, claims, stores)
        return
    if NAME.fullmatch(source):
        source = f"{os.environ.get('HF_ENDPOINT', 'https://huggingface.co').rstrip('/')}/{source}/resolve/main"
    elif not ADDRESS.match(source):
        raise DownloadError(f"{source}: expected a folder, OWNER/NAME of the hub, or an address with https://")
    source = source.rstrip("/")
    files = catalog(source, split)
    claims.parent.mkdir(parents=True, exist_ok=True)
    if not claims.exists():
        fetch(source, next(file for file in files if file.path == f"data/{split}.json"), claims)
    if not stores_there:
        bring_stores(source, [file for file in files if file.path.endswith(".zip")], stores)
    _report(split, claims, stores)


def take(source: Path, split: str, claims: Path, stores: Path) -> None:
    """Bring one split from a folder: copy claims, unpack ZIP files of stores, link to stores that lie unpacked.

    Raises:
        DownloadError: the folder lacks claims or stores of the split, or the disk is too small.
    """
    found = next((file for each in FOLDERS if (file := source / each / f"{split}.json").is_file()), None)
    unpacked = next((folder for each in UNPACKED if any((folder := source / each / split).glob("*.json"))), None)
    zipped = (f"{split}_knowledge_store.zip", f"{split}/*.zip")
    archives = sorted(file for each in zipped for file in (source / STORES).glob(each))
    if not found or not (unpacked or archives):
        raise DownloadError(
            f"{source}: expected claims in one of {', '.join(f'{each}/{split}.json' for each in FOLDERS)}, and stores "
            f"in {STORES}/{split}_knowledge_store.zip, {STORES}/{split}/ or knowledge_store/{split}/; "
            "correct SPLIT or the source"
        )
    for folder in (claims.parent, stores.parent):
        folder.mkdir(parents=True, exist_ok=True)
    if not claims.exists():
        shutil.copyfile(found, claims)
    if not any(stores.glob("*.json")):
        partial = stores.with_name(f"{stores.name}.part")
        if unpacked:
            partial.symlink_to(unpacked.resolve(), target_is_directory=True)
        else:
            partial.mkdir(exist_ok=True)
            for archive in archives:
                unpack(archive, partial, keep=True)
        if stores.is_dir():
            stores.rmdir()  # an empty one
        partial.replace(stores)
    _report(split, claims, stores)


def _report(split: str, claims: Path, stores: Path) -> None:
    print(f"{split}: {claims}, and {sum(1 for _ in stores.glob('*.json'))} stores in {stores}")


def catalog(source: str, split: str) -> list[Remote]:
    """The files of a split at the source: its claims and the ZIP files of its stores."""
    hub = HUB.match(source)
    files = _hub_files(hub) if hub else _listed_files(source)
    pattern = re.compile(
        rf"data/{re.escape(split)}\.json|{STORES}/{re.escape(split)}(_knowledge_store\.zip|/[^/]+\.zip)"
    )
    wanted = [file for file in files if pattern.fullmatch(file.path)]
    if not any(file.path.endswith(".json") for file in wanted) or len(wanted) < 2:
        raise DownloadError(f"{source} has no claims and stores of a split {split!r}; correct SPLIT or the source")
    return wanted


def _hub_files(hub: re.Match[str]) -> list[Remote]:
    """Files of a repository of the hub, which names the SHA-256 of those that are large."""
    address = f"{hub['host']}/api/models/{hub['repository']}/tree/{hub['revision']}"
    entries = [e for folder in ("data", STORES) for e in json.loads(_read(f"{address}/{folder}?recursive=true"))]
    return [Remote(e["path"], e.get("lfs", {}).get("oid", "")) for e in entries if e["type"] == "file"]


def _listed_files(source: str) -> list[Remote]:
    """Files named in ``SHA256SUMS``, as ``sha256sum`` writes it."""
    lines = _read(f"{source}/SHA256SUMS").decode().splitlines()
    return [Remote(path.lstrip(" *"), digest) for digest, _, path in (line.partition(" ") for line in lines)]


def _read(address: str) -> bytes:
    try:
        with urlopen(address, timeout=60) as reply:
            return reply.read()
    except (URLError, OSError) as error:
        raise DownloadError(f"{address}: {error}; check the connection and the address") from error


def fetch(source: str, file: Remote, target: Path) -> None:
    """Bring one file; what is there of it from an earlier try is kept and gone on with."""
    partial = target.with_name(f"{target.name}.part")
    address = f"{source}/{quote(file.path)}"
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _go_on(address, partial)
            break
        except (URLError, OSError) as error:
            if attempt == ATTEMPTS or (isinstance(error, HTTPError) and error.code in (401, 403, 404)):
                raise DownloadError(f"{address}: {error}; run the same command to resume") from error
            time.sleep(PAUSE * 2 ** (attempt - 1))
    if file.sha256 and (found := _sha256(partial)) != file.sha256:
        partial.unlink()
        raise DownloadError(
            f"{address}: SHA-256 is {found}, expected {file.sha256}; removed, the same command tries again"
        )
    partial.replace(target)


def _go_on(address: str, partial: Path) -> None:
    """Append what is missing of a file, or start over where the source sends only whole files."""
    here = partial.stat().st_size if partial.exists() else 0
    headers = {"Range": f"bytes={here}-"} if here else {}
    try:
        reply = urlopen(Request(address, headers=headers), timeout=60)
    except HTTPError as error:
        if error.code == 416 and here:  # nothing is missing; the checksum will tell
            return
        raise
    with reply:
        goes_on = reply.status == 206
        length = int(reply.headers.get("Content-Length") or 0)
        check_room(partial.parent, length - (0 if goes_on else here), address)
        with partial.open("ab" if goes_on else "wb") as file:
            copied = _copy(reply, file, partial.name, length)
    if copied < length:
        raise OSError(f"the connection ended after {copied} of {length} bytes")


def _copy(reply: BinaryIO, file: BinaryIO, name: str, length: int) -> int:
    copied, shown = 0, time.monotonic()
    while block := reply.read(BLOCK):
        copied += file.write(block)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            print(f"{name}: {copied / 1e9:.1f} of {length / 1e9:.1f} GB", flush=True)
    return copied


def check_room(folder: Path, wanted: int, what: str) -> None:
    """Refuse what the disk cannot hold.

    Raises:
        DownloadError: ``wanted`` bytes are more than the disk has left.
    """
    free = shutil.disk_usage(folder).free
    if wanted > free:
        raise DownloadError(f"{what} needs {wanted / 1e9:.2f} GB, but {folder} has {free / 1e9:.2f} GB left; make room")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def bring_stores(source: str, archives: list[Remote], stores: Path) -> None:
    """Bring the ZIP files one after another, unpack each and remove it; the folder gets its name when all are in it."""
    partial = stores.with_name(f"{stores.name}.part")
    partial.mkdir(parents=True, exist_ok=True)
    for archive in archives:
        name = Path(archive.path).name
        done = partial / f"{name}.done"
        if not done.exists():
            fetch(source, archive, partial / name)
            unpack(partial / name, partial)
            done.touch()
            (partial / name).unlink()
    for leftover in (*partial.glob("*.done"), *partial.glob("*.zip")):
        leftover.unlink()
    partial.replace(stores)


def unpack(archive: Path, folder: Path, *, keep: bool = False) -> None:
    """Unpack the stores of a ZIP file; their checksums within it are checked by the way.

    Args:
        keep: whether a broken file stays, since it cannot be fetched again.

    Raises:
        DownloadError: the disk cannot hold them, or it is no sound ZIP file.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            members = [(info, match[1]) for info in file.infolist() if (match := STORE.fullmatch(info.filename))]
            check_room(folder, sum(info.file_size for info, _ in members), f"unpacking {archive.name}")
            for info, name in members:
                with file.open(info) as store, (folder / name).open("wb") as target:
                    shutil.copyfileobj(store, target, BLOCK)
    except (zipfile.BadZipFile, zlib.error) as error:
        if keep:
            raise DownloadError(f"{archive}: {error}; put a sound copy there") from error
        archive.unlink()
        raise DownloadError(f"{archive}: {error}; removed, the same command fetches it again") from error


if __name__ == "__main__":
    sys.exit(main())
