"""Targets that hold more than one file or row: LoRA adapters, archives, documents."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import torch
from safetensors.torch import save
from torch import nn

from knowledge_store.isolation import Limits
from knowledge_store.pages.documents import DocumentsError, read_documents
from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Flaws, Page
from knowledge_store.searchers import SearchError
from knowledge_store.searchers.archive import Archive
from system.graph.records import Claim
from system.models.adapters import check_adapter
from system.models.base import ModelUnavailable
from tests.helpers.documents import docx, paragraph, pdf

BRIDGE = Claim(id=0, text="The bridge opened in 1932.")
LAYER = nn.ModuleDict({"q_proj": nn.Linear(8, 6, device="meta")})
_CONFIG = {
    "peft_type": "LORA",
    "r": 2,
    "lora_alpha": 4,
    "target_modules": ["q_proj"],
    "use_dora": False,
    "bias": "none",
}
_SHAPES = {"A": (2, 8), "B": (6, 2)}
_TENSORS = save({f"base_model.model.q_proj.lora_{name}.weight": torch.ones(shape) for name, shape in _SHAPES.items()})
FILES = {"adapter_config.json": orjson.dumps(_CONFIG), "adapter_model.safetensors": _TENSORS}
ADAPTERS = (*(bytes([number]) + data for number, data in enumerate(FILES.values())), b"\x00[]", b"\x00" + b"[" * 4000)
"""The first byte says which of the two files the rest is."""


def adapter(data: bytes, folder: Path) -> None:
    """One file of an adapter, the other is sound: it fits, or an error names the folder."""
    place = folder / "adapter"
    place.mkdir(exist_ok=True)
    for number, (name, sound) in enumerate(FILES.items()):
        mutated = data and data[0] % 2 == number
        (place / name).write_bytes(data[1:] if mutated else sound)
    try:
        check_adapter(place, LAYER)
    except ModelUnavailable as error:
        assert str(place) in str(error), f"the message does not name the folder: {error}"


def _two_pages() -> bytes:
    """A small archive."""
    with TemporaryDirectory(prefix="fuzz-") as folder:
        file = Path(folder) / "a.sqlite"
        Archive(file).add([Page(0, "https://a.example", ("The bridge opened in 1932.",)), Page(1, "b", ("A ferry.",))])
        with closing(sqlite3.connect(file)) as database:
            database.executescript("PRAGMA page_size = 512; VACUUM")  # the smallest, because inputs are small
        return file.read_bytes()


ARCHIVES = (_two_pages(), b"SQLite format 3\0", b"")


def archive(data: bytes, folder: Path) -> None:
    """A damaged archive: pages that can be cited, or an error that names it; so when more is indexed."""
    file = folder / "archive.sqlite"
    for left in folder.glob(f"{file.name}*"):  # SQLite leaves a journal beside a file
        left.unlink()
    file.write_bytes(data)
    try:
        found = list(Archive.open(file).search("Which bridge opened in 1932?", None, 5, Flaws()))
        for page in found:
            orjson.dumps((page.url, page.sentences))
        Archive(file).add([Page(0, "https://a.example", ("It opened in 1933.",))])
    except SearchError as error:
        assert file.name in str(error), f"the message does not name the file: {error}"


ENDINGS = sorted(SUFFIXES)
_TABLE = b"year;bridge\n1932;Aster\n"
_SEEDS = {
    ".txt": (b"It opened in 1932.\n\nIt is \xe9 old.",),
    ".md": (b"# Aster\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n```\nx\n```\n[a](<b>)",),
    ".html": (b"<html><nav hidden>x</nav><p id=cookie>It <b>opened</b>.<table><tr><td>1", b"<!-- x -->"),
    ".csv": (_TABLE, b'"a\nb","' + b"," * 50),
    ".tsv": (_TABLE.replace(b";", b"\t"),),
    ".pdf": (pdf(["It opened."]),),
    ".docx": (docx(paragraph("It opened.") + f"<w:tbl><w:tr><w:tc>{paragraph('1932')}</w:tc></w:tr></w:tbl>"),),
}
DOCUMENTS = tuple(bytes([ENDINGS.index(suffix)]) + data for suffix, contents in _SEEDS.items() for data in contents)
"""The first byte says of which format the rest is."""
LIMITS = Limits(seconds=2.0, memory=2**29)


def document(data: bytes, folder: Path) -> None:
    """A document, read in a worker: pages that can be cited, or an error that names it."""
    suffix = ENDINGS[data[0] % len(ENDINGS)] if data else ENDINGS[0]
    file = folder / f"document{suffix}"
    file.write_bytes(data[1:])
    try:
        for page in read_documents([file], Flaws(), limits=LIMITS):
            assert page.text.strip() and file.name in page.url
            orjson.dumps((page.url, page.sentences))
    except DocumentsError as error:
        assert file.name in str(error), f"the message does not name the file: {error}"
