"""Numbers in text: what is read, and when two of them agree."""

import pytest

from system.text.quantities import Kind, quantities


def read(text: str) -> list[tuple[float, Kind]]:
    return [(quantity.value, quantity.kind) for quantity in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14,898,300 or 14.9 million", [(14_898_300, Kind.COUNT), (14_900_000, Kind.COUNT)]),
        ("N700 billion or US$1.325 billion", [(7e11, Kind.MONEY), (1.325e9, Kind.MONEY)]),
        ("Rs 8 crore or 1,00,000 rupees", [(8e7, Kind.MONEY), (100_000, Kind.MONEY)]),
        ("55 percent and 0.6% in 2019", [(55, Kind.PERCENT), (0.6, Kind.PERCENT), (2019, Kind.YEAR)]),
        ("612 400 people, 612\u00a0400 people, 612\u202f400 people, 612'400 or 612’400", [(612_400, Kind.COUNT)] * 5),
        ("1.612.400 or 1.612.400,5", [(1_612_400, Kind.COUNT), (1_612_400.5, Kind.COUNT)]),
        ("€65 797 506,72 and €4,50", [(65_797_506.72, Kind.MONEY), (4.5, Kind.MONEY)]),
        ("In 2019 300 people, in 2019, 300 people", [(2019, Kind.YEAR), (300, Kind.COUNT)] * 2),
        ("2019 million or seven or 1,5 million", [(2.019e9, Kind.COUNT), (7, Kind.COUNT), (1.5e6, Kind.COUNT)]),
        ("COVID-19 and G20", []),
    ],
)
def test_reads_numbers_with_scale_and_kind(text: str, expected: list[tuple[float, Kind]]) -> None:
    assert read(text) == [(pytest.approx(value), kind) for value, kind in expected]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("14,898,300 people", "14.9 million", True),
        ("R17 billion", "R17.3 billion", True),
        *(("7%", "6.96%", True), ("7%", "7.4%", False)),
        ("206 billion euros", "856 billion euros", False),
        ("2019", "2018", False),
    ],
)
def test_agrees_at_the_precision_of_the_coarser(one: str, other: str, same: bool) -> None:
    (left,), (right,) = quantities(one), quantities(other)
    assert left.agrees(right) is same
