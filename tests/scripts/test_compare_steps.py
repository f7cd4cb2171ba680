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


def test_the_first_row_is_profile_cpu(tmp_path):
    profile, cpu = write(tmp_path, *compare_steps.ROWS[0]), load("cpu", {})
    assert set(profile.model.rules) == set(cpu.model.rules)
    assert profile.model.adapters.keys() == cpu.model.adapters.keys()
    assert (profile.graph, profile.retrieval, profile.engine) == (cpu.graph, cpu.retrieval, cpu.engine)


@pytest.mark.parametrize("who", compare_steps.ROWS)
def test_rules_and_adapters_do_what_the_row_says(who, tmp_path):
    profile = write(tmp_path, *who)
    steps = dict(zip(compare_steps.STEPS, who, strict=True))
    by_rules = {task for step, task in compare_steps.RULES.items() if steps[step] == "rules"}
    assert set(profile.model.rules) == by_rules | set(compare_steps.ALWAYS)
    assert (profile.graph.sentence_rules == "always") == (steps["judge"] == "rules")
    assert {str(adapter): folder for adapter, folder in profile.model.adapters.items()} == {
        compare_steps.STEPS[step]: str(tmp_path / compare_steps.STEPS[step])
        for step in steps
        if steps[step] == "adapter"
    }
