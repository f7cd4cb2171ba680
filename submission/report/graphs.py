"""A claim's graph as the report embeds it: any kind of thought, and each passage once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict, ValidationError

from knowledge_store.pages.filters import is_prompt_injection
from submission.files import SubmissionError
from system.records import Cost

PASSAGE_FIELDS = {"text", "url", "page", "start"}
Key = tuple[str, int, int, str]  # a passage: address, page, start, text


class Node(BaseModel):
    """A thought; its content is whatever its kind holds, so that kinds of tomorrow can be drawn today."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: str
    parents: tuple[str, ...]
    operation: str
    content: dict[str, Any]
    cost: Cost = Cost()


class _File(BaseModel):
    thoughts: tuple[Node, ...]


@dataclass(frozen=True)
class Graph:
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


def read_graph(path: Path) -> Graph:
    """Read ``graphs/<claim id>.json``; a graph without thoughts where there is no such file.

    Raises:
        SubmissionError: the file is damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Graph(())
    try:
        return Graph(_File.model_validate_json(data).thoughts)
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        raise SubmissionError(f"{path}: expected a graph of thoughts ({message}); run this claim again") from error


def parse_graph(tree: Mapping[str, Any]) -> Graph:
    """A graph from its JSON, as the engine gives it."""
    return Graph(_File.model_validate(tree).thoughts)


def embedded(graph: Graph) -> dict[str, Any]:
    """Plain data for the page: the passages, and the thoughts, in which ``{"ref": number}`` stands for a passage.

    A passage is ``suspicious`` where it looks as if it were meant to steer the machine.
    """
    passages: dict[Key, int] = {}
    thoughts = [
        {
            **node.model_dump(include={"id", "kind", "parents", "operation"}),
            "content": _folded(node.content, passages),
            "cost": {name: round(value, 4) for name, value in node.cost if value},
        }
        for node in graph.nodes
    ]
    return {"thoughts": thoughts, "passages": [_passage(*key) for key in passages]}


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
