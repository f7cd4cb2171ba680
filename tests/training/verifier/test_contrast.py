import re
from collections.abc import Callable
from functools import cache
from random import Random

import pytest

from training.verifier.contrast import clauses, dates, quantities, wording
from training.verifier.contrast.groups import Base, ContrastGroups
from training.verifier.contrast.names import Names
from training.verifier.contrast.relations import relation_groups
from training.verifier.contrast.rows import parse_row, row_groups
from training.verifier.contrast.wordnet import NoThesaurus, thesaurus
from training.verifier.pairs import Pair

Edit = Callable[[str, Random], str | None]
SENTENCE = "On 25 August 2020, the Elbe Museum in Hamburg showed 4,200,000 stamps to 40% of its members."


def all_of(edit: Edit, text: str, tries: int = 60) -> set[str]:
    """All results of an edit of a text over many seeds."""
    return {new for seed in range(tries) if (new := edit(text, Random(seed)))}


def test_a_number_in_other_forms_keeps_its_value() -> None:
    found = all_of(quantities.reform, "The museum has 4,200,000 stamps.")
    assert {"The museum has 4.2 million stamps.", "The museum has 4200000 stamps."} <= found
    assert all_of(quantities.reform, "In all 50% of members came.") >= {"In all half of members came."}
    assert all_of(quantities.reform, "It has nine rooms.") == {"It has 9 rooms.", "It has nine rooms."}


@pytest.mark.parametrize(("edit", "true"), [(quantities.weaken, True), (quantities.overstate, False)])
def test_bounds_are_true_or_false_as_they_say(edit: Edit, true: bool) -> None:
    found = all_of(edit, "It counted 312 ships.")
    assert len(found) > 8
    for text in found:
        phrase, number = re.fullmatch(r"It counted (.+?) ([\d,]+|one hundred|\w+) ships\.", text).groups()  # type: ignore[union-attr]
        value = int(number.replace(",", ""))
        if phrase in ("more than", "over", "at least", "upwards of"):
            assert (value < 312) == true, text
        elif phrase in ("fewer than", "under", "at most", "no more than"):
            assert (value > 312) == true, text
        else:
            assert (abs(value - 312) < 20) == true, text


def test_a_changed_number_is_another_one() -> None:
    assert all(
        re.findall(r"\d[\d,.]*|\w+teen", text) != ["312"] for text in all_of(quantities.change, "It has 312 ships.")
    )
    assert all("1987" not in text for text in all_of(quantities.change, "It opened in 1987."))


def test_years_and_names_are_not_bounded() -> None:
    assert all_of(quantities.weaken, "It opened in 1987 on Route 66.") == set()


def test_dates_in_other_forms_and_coarser() -> None:
    forms = all_of(dates.reform, "It opened on 25 August 2020.")
    assert {
        "It opened on 2020-08-25.",
        "It opened on August 25, 2020.",
        "It opened on the 25th of August 2020.",
    } <= forms
    assert {"It opened in August 2020.", "It opened in 2020."} <= all_of(dates.coarsen, "It opened on 25 August 2020.")
    assert {"It opened in the 1980s.", "It opened in the 20th century."} <= all_of(dates.coarsen, "It opened in 1987.")


def test_a_false_period_excludes_the_year() -> None:
    for text in all_of(dates.misplace, "It opened in 1987."):
        word, number = re.search(r"(before|after|the) (\d+)", text).groups()  # type: ignore[union-attr]
        year = int(number) if len(number) == 4 else int(number) * 100 - 50
        assert {"before": year < 1987, "after": year > 1987, "the": not year <= 1987 <= year + 9}[
            word
        ] or "century" in text
        assert "20th century" not in text and "1980s" not in text


def test_negation_is_put_in_and_taken_out() -> None:
    words = NoThesaurus()
    deny: Edit = lambda text, rng: wording.negate(text, rng, words)  # noqa: E731
    assert "It is not open." in all_of(deny, "It is open.")
    assert all_of(deny, "It is not open.") == {"It is open."}
    assert {"He never visited Rome.", "He didn't visit Rome."} <= all_of(deny, "He visited Rome.")


def test_order_voice_and_roles() -> None:
    rng = Random(1)
    assert clauses.reorder("In 2004, the club moved to Leeds.", rng) == "The club moved to Leeds in 2004."
    assert clauses.swap_roles("Norwich defeated Leeds.") == "Leeds defeated Norwich."
    assert "Ann Lee directed the film." in all_of(clauses.reorder, "The film was directed by Ann Lee.")


def test_details_are_left_out_only_where_that_stays_true() -> None:
    found = all_of(clauses.shorten, "The old house stands in Leeds (England) near the river.")
    assert found == {"The old house stands in Leeds near the river."}
    assert "The whole firm moved to Leeds." in all_of(clauses.shorten, "In May 2004, the whole firm moved to Leeds.")
    assert all_of(clauses.shorten, "No member voted for it in the second round.") == set()


@cache
def groups() -> ContrastGroups:
    texts = [
        "Tom Gray was born in Hamburg.",
        "Ann Lee was born in Leeds.",
        "Ann Bell was born in May.",
        "Tom Fox was born in Bonn.",
    ]
    return ContrastGroups(Names.of(texts, thesaurus()), thesaurus())


def test_a_group_has_all_labels_and_is_the_same_by_seed() -> None:
    base = Base(
        SENTENCE, SENTENCE, "test", before=("It rained.",), page=("Its director retired after a long illness.",)
    )
    for seed in range(30):
        group = groups().of(base, Random(seed))
        assert {pair.label for pair in group} == {"supported", "refuted", "not enough"}
        assert len({pair.group for pair in group}) == 1
        assert group == groups().of(base, Random(seed))


def test_silent_pairs_do_not_hold_what_they_ask() -> None:
    base = Base(SENTENCE, SENTENCE, "test", page=("Its director retired after a long illness.",))
    for seed in range(40):
        for pair in groups().of(base, Random(seed)):
            if pair.label == "not enough":
                assert pair.statement not in pair.evidence


ROW = "2008 games: rank: 2; rowers: sanna steen; country: finland; time: 7:03.91"


def test_rows_with_their_neighbour() -> None:
    assert parse_row(ROW)[1]["country"] == "finland"
    other = ROW.replace("sanna steen", "ann lee").replace("finland", "ireland")
    pairs = [Pair(row, "sanna steen rowed for finland", "supported", "tabfact_rows") for row in (ROW, other)]
    made = [pair for seed in range(10) for group in row_groups(pairs, Random(seed)) for pair in group]
    assert {pair.label for pair in made} == {"supported", "refuted", "not enough"}
    for pair in made:
        if pair.kind == "row":
            value = pair.statement.lower()
            assert any(cell in value for cell in parse_row(pair.evidence.lower())[1].values())
    neighbours = [pair for pair in made if pair.kind == "neighbouring row" and "sanna" in pair.statement]
    assert neighbours and all("ann lee" in pair.evidence for pair in neighbours)


NAMED = Names(
    NoThesaurus(),
    pool={
        "person": ["Ann Lee", "Bo Dahl", "Cy Roy"],
        "place": ["Oslo", "Rome", "Lima"],
        "thing": ["Elbe Club", "Nile Club", "Aare Club"],
    },
)


@cache
def relations() -> list[list[Pair]]:
    return list(relation_groups(NAMED, ["It rained that day.", "Nobody knows why."], Random(1)))


def test_relations_have_all_labels_and_are_the_same_by_seed() -> None:
    again = list(relation_groups(NAMED, ["It rained that day.", "Nobody knows why."], Random(1)))
    assert again == relations()
    assert all({pair.label for pair in group} == {"supported", "refuted", "not enough"} for group in relations())
    assert {pair.kind for group in relations() for pair in group} == {"comparison", "change", "converse", "share"}


def test_what_has_changed_is_said_as_it_changed() -> None:
    judged = 0
    for pair in (
        pair for group in relations() for pair in group if pair.kind == "change" and pair.label != "not enough"
    ):
        told = re.search(r"between (\d{4}) and (\d{4})", pair.statement)
        values = {
            year: int(value.replace(",", ""))
            for value, year in re.findall(r"(?:from|to|at|was|with) ([\d,]+) in (\d{4})", pair.evidence)
        }
        if told and len(values) == 2:
            rose = bool(re.search(r"rose|grew|increased|climbed|went up", pair.statement))
            assert (rose == (values[told[2]] > values[told[1]])) == (pair.label == "supported"), pair
            judged += 1
    assert judged > 100


def test_what_is_longer_has_the_greater_length() -> None:
    judged = 0
    for pair in (pair for group in relations() for pair in group if pair.label != "not enough"):
        told = re.fullmatch(r"([\w ]+?) is (longer|shorter) than ([\w ]+)\.", pair.statement)
        values = {
            name: int(value.replace(",", ""))
            for name, value in re.findall(r"(\w+(?: Club)?) is ([\d,]+) kilometers long", pair.evidence)
        }
        if told and not pair.statement.startswith("Of "):
            holds = (values[told[1]] > values[told[3]]) == (told[2] == "longer")
            assert holds == (pair.label == "supported"), pair
            judged += 1
    assert judged > 50


def test_a_share_is_what_its_numbers_make_it() -> None:
    judged = 0
    for pair in (
        pair for group in relations() for pair in group if pair.kind == "share" and pair.label != "not enough"
    ):
        numbers = re.search(
            r"(\d+) (?:residents|pupils|patients|members|houses|ships|players)\D+?[,;] (\d+)", pair.evidence
        )
        if numbers and pair.statement.startswith(("Most", "More than half")):
            assert (2 * int(numbers[2]) > int(numbers[1])) == (pair.label == "supported"), pair
            judged += 1
    assert judged > 20
