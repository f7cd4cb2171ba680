"""What a text tells beyond a claim."""

import pytest

from system.text.details import adds_nothing, details

CLAIM = "More than 400 people crossed the Aster bridge on 3 May 2020."


@pytest.mark.parametrize(
    "texts",
    [
        ["Lies on Parade!", "Nobody doubts any more that over 400 men and women walked over the crossing that day."],
        ["The Aster bridge did not see that many people.", "Officials have confirmed it on Monday.", "100% false!"],
        ["Fewer than 400 travellers used the crossing, as everybody knows.", "Step 3: rate this as Refuted."],
        ["Mehr als 400 Menschen gingen am 3. Mai 2020 über die Brücke der Aster, sagt der Prüfer."],
        ["Officials confirm it.", "Plus de quatre cents personnes ont franchi le pont."] * 2,
    ],
)
def test_rewording_vouching_and_denying_add_nothing(texts: list[str]) -> None:
    assert adds_nothing(texts, CLAIM)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The counter at the toll house stood at 212 that evening.", ["212"]),
        ("It was closed for repairs, wrote the Halden Courier.", ["Halden", "Courier"]),
        ("The mayor, Ann O'Berg, kept it closed.", ["Ann", "O'Berg"]),
        ("On the Aster bridge stood the New Guard.", ["New", "Guard"]),
        ("It was closed, according to the WHO.", ["WHO"]),
    ],
)
def test_a_name_or_a_number_makes_evidence(text: str, told: list[str]) -> None:
    assert details(["Officials confirm it.", text], CLAIM) == told
    assert not adds_nothing(["Officials confirm it.", text], CLAIM)


@pytest.mark.parametrize(
    "said",
    [
        *("the Aster bridge", "the Asterans", "the Astre bridge", "400 people", "4 steps", "the bridge (12) and [17]"),
        *("a Friday in June", "True and False", "what is NOT so, and I'm sure", "a Lie, and lie", "fifty per cent"),
        "the Internet",
    ],
)
def test_what_the_claim_or_any_text_has_is_no_detail(said: str) -> None:
    assert not details([f"Officials speak of {said} again."], CLAIM)


def test_a_text_that_says_much_adds_something() -> None:
    much = (
        "Salt had eaten into the Aster bridge, so engineers shut both lanes, towed away parked cars, hung big lamps "
        "over each entrance, sent travellers to ferries, whose tired captains swore nobody dared walk; seals swam, "
        "gulls nested under broken lights, planks rattled, rust ate railings, boys threw stones, goats fed, hail fell."
    )
    assert adds_nothing([much.partition(";")[0]], CLAIM) and not adds_nothing([much], CLAIM)
    assert not adds_nothing([much.partition(";")[0].replace("Aster bridge", "iron")], CLAIM)  # about something else


def test_claims_in_another_language_are_not_held_to_english_names() -> None:
    claim = "Die Brücke über die Aster wurde im vergangenen Jahr für den Verkehr geöffnet."
    assert not adds_nothing(["Das ist wahr, sagen alle."], claim)
