"""The material of a report: the output folder of our run, or any system's predictions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict, ValidationError

from knowledge_store.pages.injection import is_prompt_injection
from submission.files import SubmissionError, read_json_array, read_object, read_text, repair
from submission.read import Predicted, of_two_labels, read_predictions
from submission.timings import TimeReport
from submission.write import EvidencePair
from system.graph.records import ClaimResult, Cost, Record, Summary, explain

PASSAGE_FIELDS = {"text", "url", "page", "start"}
Key = tuple[str, int, int, str]  # a passage: address, page, start, text


class Node(BaseModel):
    """A thought; its content is whatever its kind holds, so that unknown kinds can be drawn.

    Attributes:
        summary: None in a file that was written without.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: str
    parents: tuple[str, ...]
    operation: str
    content: dict[str, Any]
    summary: Summary | None = None
    cost: Cost = Cost()


class _File(BaseModel):
    thoughts: tuple[Node, ...]


@dataclass(frozen=True)
class StoredGraph:
    """The thoughts about a claim, parents before children."""

    nodes: tuple[Node, ...]

    def of_kind(self, kind: str) -> Iterator[Node]:
        """The thoughts of a kind, oldest first."""
        return (node for node in self.nodes if node.kind == kind)

    def passages(self) -> list[tuple[str, str]]:
        """Address and text of everything that was retrieved."""
        found = [node.content.get("passage") for node in self.of_kind("evidence")]
        return [(passage["url"], passage["text"]) for passage in found if _is_passage(passage)]

    @property
    def suspicious(self) -> bool:
        """Whether anything that was retrieved looks as if it were meant to steer the machine."""
        return any(is_prompt_injection(text) for _, text in self.passages())


def read_graph(path: Path) -> StoredGraph:
    """Read ``graphs/<claim id>.json``; a graph without thoughts where there is no such file.

    Raises:
        SubmissionError: the file is damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return StoredGraph(())
    try:
        return StoredGraph(_File.model_validate_json(data).thoughts)
    except ValidationError as error:
        fault = explain(error.errors()[0], "the file")
        raise SubmissionError(
            f"{path}: expected a graph of thoughts; {fault}; delete this file to go without, and with it the claim's "
            "line in journal.jsonl to check the claim again with --resume"
        ) from error


def parse_graph(tree: Mapping[str, Any]) -> StoredGraph:
    """A graph from its JSON, as the engine gives it."""
    return StoredGraph(_File.model_validate(tree).thoughts)


def embedded(graph: StoredGraph) -> dict[str, Any]:
    """Plain data for the page: the passages, and the thoughts, in which ``{"ref": number}`` stands for a passage.

    A passage is ``suspicious`` where it looks as if it were meant to steer the machine.
    """
    passages: dict[Key, int] = {}
    thoughts = [
        {
            **node.model_dump(include={"id", "kind", "parents", "operation"}),
            "summary": (node.summary or Summary(heading=node.kind, text=_words(node.content))).model_dump(mode="json"),
            "content": _folded(node.content, passages),
            "cost": {name: round(value, 4) for name, value in node.cost if value},
        }
        for node in graph.nodes
    ]
    return {"thoughts": thoughts, "passages": [_passage(*key) for key in passages]}


def _words(value: Any) -> str:
    """All the words in a content of unknown form."""
    match value:
        case None | bool():
            return ""
        case dict():
            return " · ".join(filter(None, map(_words, value.values())))
        case list():
            return "; ".join(filter(None, map(_words, value)))
    return str(value)


def _passage(url: str, page: int, start: int, text: str) -> dict[str, Any]:
    return {"url": url, "page": page, "start": start, "text": text, "suspicious": is_prompt_injection(text)}


def _is_passage(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and value.keys() == PASSAGE_FIELDS


def _folded(value: Any, passages: dict[Key, int]) -> Any:
    if _is_passage(value):
        key = (value["url"], value["page"], value["start"], value["text"])
        return {"ref": passages.setdefault(key, len(passages))}
    if isinstance(value, dict):
        return {name: _folded(item, passages) for name, item in value.items()}
    if isinstance(value, list):
        return [_folded(item, passages) for item in value]
    return value


class Entry(Record):
    """A system's prediction for a claim; the label keeps the system's spelling.

    Attributes:
        confidence: None where the system gives none.
    """

    claim_id: int
    claim: str
    label: str
    pairs: tuple[EvidencePair, ...]
    justification: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class Material:
    """A system's output; all but the entries exists only for runs of ours.

    Attributes:
        results: the full results by claim id.
        graphs: folder with ``<claim id>.json``.
        setup: ``run.json``: settings, machine, versions.
    """

    path: Path
    entries: tuple[Entry, ...]
    results: Mapping[int, ClaimResult] = field(default_factory=dict)
    timings: TimeReport | None = None
    graphs: Path | None = None
    setup: Mapping[str, Any] = field(default_factory=dict)

    @property
    def two_labels(self) -> bool:
        """Whether the run concluded with two labels, so that it is scored by two."""
        return of_two_labels(self.setup)


def read_run(folder: Path) -> Material:
    """Read the output folder of a finished run.

    Raises:
        SubmissionError: the folder holds no finished run, or one of its files is damaged.
    """
    if not folder.is_dir():
        raise SubmissionError(f"{folder} not found; expected the output folder of a run")
    if not (folder / "timings.json").is_file():
        raise SubmissionError(f"{folder}: expected a finished run, got no timings.json; finish it with --resume")
    return Material(
        path=folder,
        entries=read_entries(folder / "submission.json"),
        results={result.claim.id: result for result in _results(folder / "journal.jsonl")},
        timings=_timings(folder / "timings.json"),
        graphs=folder / "graphs",
        setup=read_object(folder / "run.json"),
    )


def read_system(predictions: Path) -> Material:
    """Read the predictions of any system: ``submission.json``, the organizers' JSON, or a CSV.

    Raises:
        SubmissionError: the file cannot be read, or an entry lacks what a prediction needs.
    """
    return Material(path=predictions, entries=read_entries(predictions))


def read_entries(path: Path) -> tuple[Entry, ...]:
    """Read labels with their evidence, in the order of the file.

    Raises:
        SubmissionError: see ``read_system``.
    """
    labeled = read_predictions(path)
    if path.suffix != ".json":
        return tuple(
            _entry(one, pairs=tuple(_pair({"question": q, "answer": a}) for q, a in one.pairs)) for one in labeled
        )
    items = zip(labeled, read_json_array(path), strict=True)
    return tuple(_entry(one, **_details(path, number, item)) for number, (one, item) in enumerate(items))


def _entry(one: Predicted, **details: Any) -> Entry:
    return Entry(claim_id=one.claim_id, claim=repair(one.claim), label=repair(one.label), **details)


def _details(path: Path, number: int, item: Any) -> dict[str, Any]:
    evidence = item.get("evidence", [])
    if not isinstance(evidence, list) or not all(isinstance(pair, dict) for pair in evidence):
        raise SubmissionError(f"{path}: entry {number}: 'evidence': expected a list of objects, got {evidence!r:.60}")
    confidence = item.get("confidence")
    return {
        "pairs": tuple(_pair(pair) for pair in evidence),
        "justification": _text(item, "justification"),
        "confidence": confidence if isinstance(confidence, int | float) else None,
    }


def _pair(pair: Mapping[str, Any]) -> EvidencePair:
    texts = {name: _text(pair, name) for name in ("question", "answer", "url", "scraped_text")}
    urls = pair.get("urls")
    return EvidencePair(**texts, urls=tuple(map(str, urls)) if isinstance(urls, list) else ())


def _text(item: Mapping[str, Any], key: str) -> str:
    """A field that systems leave out, leave null, or fill with a list of sentences."""
    value = item.get(key)
    if isinstance(value, list):
        value = " ".join(map(str, value))
    return "" if value is None else repair(str(value))


def _results(path: Path) -> list[ClaimResult]:
    results = []
    for number, line in enumerate(read_text(path).split("\n")[1:-1], start=2):  # the first line names the run
        try:
            results.append(ClaimResult.model_validate_json(line))
        except ValidationError as error:
            fault = explain(error.errors()[0], "the line")
            raise SubmissionError(
                f"{path}: line {number}: expected a finished claim; {fault}; delete this line and check its claim "
                "again with --resume"
            ) from error
    return results


def _timings(path: Path) -> TimeReport:
    try:
        return TimeReport.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = explain(error.errors()[0], "the file")
        raise SubmissionError(f"{path}: expected what a run writes; {fault}") from error
