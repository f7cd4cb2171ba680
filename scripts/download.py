"""Download the claims and knowledge stores of an AVeriTeC split from the Hugging Face hub.

    .venv/bin/python -m scripts.download SPLIT… [--source OWNER/NAME] [--output FOLDER]

It writes ``data_store/averitec/SPLIT.json`` and ``knowledge_store/SPLIT/<claim id>.json``, where the FEVER-8 organizers
put them. An interrupted download resumes, and files that exist are kept. The repository has ``data/SPLIT.json`` and,
below ``data_store/knowledge_store``, either ``SPLIT_knowledge_store.zip`` or a folder ``SPLIT`` of ZIP files.
"""

import argparse
import re
import shutil
import sys
import zipfile
import zlib
from pathlib import Path

import httpx2
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError

SOURCE = "chenxwh/AVeriTeC"
STORES = "data_store/knowledge_store"
STORE = re.compile(r"(?:.*/)?(\d+\.json)")  # a claim's store within a ZIP file, in whatever folder


class DownloadError(Exception):
    """A download failed; the message says why and what to do."""


def main() -> int:
    """Download the splits on the command line; return 1 and print the reason if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("splits", nargs="+", metavar="SPLIT", help="such as dev or test_2025")
    parser.add_argument("--source", default=SOURCE, help=f"repository of the hub (default: {SOURCE})")
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
    """Download one split.

    Raises:
        DownloadError: the hub does not answer, has no such split, sends a broken archive, or the disk is too small.
    """
    claims, stores = root / "data_store" / "averitec" / f"{split}.json", root / "knowledge_store" / split
    if claims.exists() and any(stores.glob("*.json")):
        print(f"{split}: exists already")
        return
    work = root / f".download-{split}"
    names = [f"data/{split}.json", f"{STORES}/{split}_knowledge_store.zip", f"{STORES}/{split}/*.zip"]
    try:
        snapshot_download(source, local_dir=work, allow_patterns=names)
    except (HfHubHTTPError, HFValidationError, httpx2.HTTPError, OSError) as error:
        raise DownloadError(f"{source}: {error}; correct the source or the connection, and try again") from error
    archives = sorted((work / STORES).rglob("*.zip"))
    if not ((work / names[0]).exists() and archives):
        raise DownloadError(f"{source} has no claims and stores of a split {split!r}; correct SPLIT or the source")
    unpacked = work / "unpacked"
    unpacked.mkdir(exist_ok=True)
    for archive in archives:
        unpack(archive, unpacked)
    for folder in (claims.parent, stores.parent):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(work / names[0], claims)
    if stores.is_dir():
        stores.rmdir()  # an empty one
    unpacked.replace(stores)
    shutil.rmtree(work)
    print(f"{split}: {claims}, and {sum(1 for _ in stores.glob('*.json'))} stores in {stores}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the stores of a ZIP file; the checksums within it are verified.

    Raises:
        DownloadError: the disk is too small, or the file is damaged; it is then removed, to be downloaded again.
    """
    try:
        with zipfile.ZipFile(archive) as file:
            members = [(info, match[1]) for info in file.infolist() if (match := STORE.fullmatch(info.filename))]
            wanted, free = sum(info.file_size for info, _ in members), shutil.disk_usage(folder).free
            if wanted > free:
                raise DownloadError(f"{archive.name} unpacks to {wanted / 1e9:.2f} GB, but {folder} has "
                                    f"{free / 1e9:.2f} GB left; make room")  # fmt: skip
            for info, name in members:
                with file.open(info) as store, (folder / name).open("wb") as target:
                    shutil.copyfileobj(store, target, 1 << 20)
    except (zipfile.BadZipFile, zlib.error) as error:
        archive.unlink()
        raise DownloadError(f"{archive}: {error}; removed, the same command downloads it again") from error


if __name__ == "__main__":
    sys.exit(main())
