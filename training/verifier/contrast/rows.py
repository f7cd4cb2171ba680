"""Rows of tables as passages: statements on one column, its neighbour's value, and columns the row does not have."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from random import Random

from training.verifier.contrast import quantities
from training.verifier.pairs import Pair, Verdict

_FORMS = (
    "The {column} of {key} is {value}.",
    "{key} has the {column} {value}.",
    "In {title}, the {column} of {key} is {value}.",
    "{key}'s {column} was {value}.",
    "For {key}, the {column} is {value}.",
    "{value} is the {column} of {key}.",
)
_SOURCE = "contrast_rows"


def parse_row(text: str) -> tuple[str, dict[str, str]]:
    """Title and columns of ``title: column: value; column: value``."""
    head, *rest = text.split("; ")
    title, _, first = head.partition(": ")
    cells = (cell.partition(": ") for cell in [first, *rest])
    return title, {column.strip(): value.strip() for column, _, value in cells if column and value}


def row_groups(pairs: Iterable[Pair], rng: Random) -> Iterator[list[Pair]]:
    """A group for each row of the sets: statements on its cells, and the set's own against the neighbouring row."""
    tables: dict[tuple[str, tuple[str, ...]], list[tuple[str, dict[str, str]]]] = defaultdict(list)
    own: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.evidence not in own:
            title, cells = parse_row(pair.evidence)
            tables[title, tuple(cells)].append((pair.evidence, cells))
        own[pair.evidence].append(pair)
    for (title, columns), rows in tables.items():
        for text, cells in rows:
            others = [other for evidence, other in rows if evidence != text] or [_neighbour(cells, rng)]
            group = _cells(title, list(columns), text, cells, rng.choice(others), rng)
            group += [
                _pair(row, pair.statement, "not enough", "neighbouring row", text)
                for pair in own[text]
                for row in [_written(title, rng.choice(others))]
                if pair.label == "supported" and _names_row(pair.statement, cells)
            ]
            if group:
                yield group


def _cells(
    title: str, columns: list[str], text: str, cells: dict[str, str], other: dict[str, str], rng: Random
) -> list[Pair]:
    """Up to three statements on one cell: true, false, and of a row that is not there."""
    keys = [
        column for column in columns if any(letter.isalpha() for letter in cells[column]) and len(cells[column]) > 3
    ]
    if not keys or len(columns) < 3:
        return []
    key = keys[0]
    column = rng.choice([name for name in columns if name != key])
    value, wrong = cells[column], other.get(column, "")
    style: Callable[[str], str] = str.title if text.islower() and rng.random() < 0.5 else str
    group = []

    def add(label: Verdict, kind: str, key_: str, value_: str, row: str = text) -> None:
        form = rng.choice(_FORMS)
        new = form.format(column=column, key=style(key_), value=style(value_), title=style(title))
        group.append(_pair(style(row), new[0].upper() + new[1:], label, kind, text))

    add("supported", "row", cells[key], value)
    changed = wrong if wrong and wrong != value else quantities.change(value, rng)
    if changed and changed.lower() != value.lower():
        add("refuted", "row value", cells[key], changed)
        if other.get(key, cells[key]) != cells[key]:
            add("not enough", "other row", other[key], rng.choice([value, changed]))
    if rng.random() < 0.5 and len(columns) > 3:
        less = {name: cell for name, cell in cells.items() if name != column}
        add("not enough", "missing column", cells[key], value, _written(title, less))
    return group


def _neighbour(cells: dict[str, str], rng: Random) -> dict[str, str]:
    """Another row of the same columns, where the sets give none: its numbers changed."""
    return {column: quantities.change(value, rng) or value for column, value in cells.items()}


def _names_row(statement: str, cells: dict[str, str]) -> bool:
    return any(len(value) > 4 and value.lower() in statement.lower() for value in list(cells.values())[:3])


def _written(title: str, cells: dict[str, str]) -> str:
    return f"{title}: " + "; ".join(f"{column}: {value}" for column, value in cells.items())


def _pair(evidence: str, statement: str, label: Verdict, kind: str, group: str) -> Pair:
    return Pair(evidence, statement, label, _SOURCE, kind, group.lower())
