"""Graphs of thoughts as plain data for a page, read from their JSON so that unknown kinds can be drawn too."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict

from knowledge_store.pages.filters import is_prompt_injection
from system.graph.records import Cost, Summary

PASSAGE_FIELDS = {"text", "url", "page", "start"}
Key = tuple[str, int, int, str]  # a passage: address, page, start, text


class Node(BaseModel):
    """A thought; its content is any object."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    kind: str
    parents: tuple[str, ...]
    operation: str
    content: dict[str, Any]
    summary: Summary
    cost: Cost = Cost()

    def embedded(self, passages: dict[Key, int]) -> dict[str, Any]:
        """Return plain data for the page, with the number of each passage in place of it; new ones are added."""
        return {
            **self.model_dump(mode="json", include={"id", "kind", "parents", "operation", "summary"}),
            "content": _folded(self.content, passages),
            "cost": {name: round(value, 4) for name, value in self.cost if value},
        }


class _File(BaseModel):
    thoughts: tuple[Node, ...]


@dataclass(frozen=True)
class StoredGraph:
    """The thoughts about a claim, parents before children."""

    nodes: tuple[Node, ...] = ()

    @classmethod
    def of(cls, tree: Mapping[str, Any]) -> "StoredGraph":
        """Parse the engine's JSON of a graph; ``ValidationError`` if it is none."""
        return cls(_File.model_validate(tree).thoughts)

    def of_kind(self, kind: str) -> Iterator[Node]:
        """Yield the thoughts of a kind, oldest first."""
        return (node for node in self.nodes if node.kind == kind)

    def passages(self) -> list[tuple[str, str]]:
        """Return address and text of every retrieved passage."""
        found = [node.content.get("passage") for node in self.of_kind("evidence")]
        return [(passage["url"], passage["text"]) for passage in found if _is_passage(passage)]

    @property
    def suspicious(self) -> bool:
        """Whether any retrieved passage looks like a prompt."""
        return any(is_prompt_injection(text) for _, text in self.passages())

    def embedded(self) -> dict[str, Any]:
        """Return plain data for the page: passages, and thoughts in which ``{"ref": number}`` refers to a passage."""
        passages: dict[Key, int] = {}
        thoughts = [node.embedded(passages) for node in self.nodes]
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
