"""The table of who asks, answers and judges."""

import tomllib

import pytest

from scripts import compare_steps
from system.settings import PROFILES, load


def write(folder, asks, answers, judges):
    """The profile of a row."""
    tree = tomllib.loads((PROFILES / "cpu-adapters.toml").read_text())
    path = folder / "profile.toml"
    path.write_text(compare_steps.profile(tree, {"ask": asks, "answer": answers, "judge": judges}))
    return load(str(path), {})


def test_the_first_row_is_profile_cpu(tmp_path):
    profile, cpu = write(tmp_path, *compare_steps.ROWS[0]), load("cpu", {})
    assert set(profile.model.rules) == set(cpu.model.rules)
    assert profile.model.adapters == cpu.model.adapters
    assert (profile.graph, profile.retrieval, profile.engine) == (cpu.graph, cpu.retrieval, cpu.engine)


@pytest.mark.parametrize("who", compare_steps.ROWS)
def test_rules_and_adapters_do_what_the_row_says(who, tmp_path):
    profile = write(tmp_path, *who)
    steps = dict(zip(compare_steps.STEPS, who, strict=True))
    by_rules = {task for step, task in compare_steps.RULES.items() if steps[step] == "rules"}
    assert set(profile.model.rules) == by_rules | set(compare_steps.ALWAYS)
    assert (profile.graph.sentence_rules == "always") == (steps["judge"] == "rules")
    three = load("cpu-adapters", {}).model.adapters
    wanted = {compare_steps.STEPS[step] for step, by in steps.items() if by == "adapter"}
    assert profile.model.adapters == {adapter: folder for adapter, folder in three.items() if str(adapter) in wanted}
