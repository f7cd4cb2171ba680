"""The table of who asks, answers and judges."""

import pytest

from scripts import compare_steps
from system.settings import load


def write(folder, asks, answers, judges):
    """The profile of a row, with adapters that nobody trained."""
    adapters = {step: str(folder / name) for step, name in compare_steps.STEPS.items()}
    path = folder / "profile.toml"
    path.write_text(compare_steps.profile({"ask": asks, "answer": answers, "judge": judges}, adapters))
    return load(str(path), {})


def test_the_first_row_is_the_profile_of_a_processor(tmp_path):
    profile, cpu = write(tmp_path, *compare_steps.ROWS[0]), load("cpu", {})
    assert set(profile.model.rules) == set(cpu.model.rules)
    assert profile.model.adapters.keys() == cpu.model.adapters.keys()
    assert profile.retrieval == cpu.retrieval
    assert profile.graph.model_copy(update={"sentence_rules": "documents"}) == cpu.graph


@pytest.mark.parametrize("who", compare_steps.ROWS)
def test_rules_and_adapters_do_what_the_row_says(who, tmp_path):
    profile = write(tmp_path, *who)
    steps = dict(zip(compare_steps.STEPS, who, strict=True))
    by_rules = {task for step, by in steps.items() if by == "rules" for task in compare_steps.TASKS[step]}
    assert set(profile.model.rules) == by_rules | set(compare_steps.ALWAYS)
    assert {str(adapter) for adapter in profile.model.adapters} == {
        compare_steps.STEPS[step] for step, by in steps.items() if by == "adapter"
    }


def test_differences_are_paired():
    gold = ["Refuted", "Supported"] * 50
    same = compare_steps.row(gold, list(gold), ["Refuted"] * 100)
    assert same.startswith("1.000 | +0.500 (+0.4") and same.endswith("| 0.500")
    assert compare_steps.row(gold, first := list(gold), first) == "1.000 |  | 0.500"
