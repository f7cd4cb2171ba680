"""The unit of evidence: a passage, which is a chunk of a page that knows where it came from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of a page of the knowledge store.

    Attributes:
        text: the chunk itself, exactly ``page_text[start : start + len(text)]``.
        url: address of the page, as the store gives it.
        page: number of the page in its store file, counted from 0 (the line number less one).
        start: offset of the chunk in the page's text, in characters.
    """

    text: str
    url: str
    page: int
    start: int

    @property
    def key(self) -> tuple[int, int]:
        """Identity within one store: two passages of a store are the same iff their keys are."""
        return self.page, self.start
