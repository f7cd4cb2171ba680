import json
import math

import pytest

from system.app import options
from system.app.cli import app
from system.settings import PROFILES, SECTIONS, Settings, SettingsError, load, load_calibration
from system.tasks.base import Adapter


def parse(*arguments):
    _, bound, _ = app.parse_args(["fetch", *arguments])
    return options.given(bound.arguments["settings"])


def test_every_setting_has_one_option():
    assert sum(len(fields.model_fields) for fields in SECTIONS.values()) <= 36
    names = ["strategy", "options", "profile", *(name for fields in SECTIONS.values() for name in fields.model_fields)]
    assert len(names) == len(set(names))
    assert set(SECTIONS) == set(Settings.model_fields) - {"strategy", "options", "profile"}


def test_the_command_line_overrides_the_profile(tmp_path):
    profile = tmp_path / "mine.toml"
    profile.write_text('[graph]\ndepth = 5\nbranches = 4\n[model]\nbackend = "vllm"\n')
    settings = load(str(profile), parse("--depth", "2", "--no-verification", "--budget", "12.5"))
    assert (settings.graph.depth, settings.graph.branches, settings.run.budget) == (2, 4, 12.5)
    assert settings.graph.verification is False
    assert settings.profile == "mine"


def test_adapters_are_given_by_task():
    given = parse("--adapters", "question_generation=a/b", "verdict_prediction=c=d")
    adapters = load("laptop", given).model.adapters
    assert adapters == {Adapter.QUESTION_GENERATION: "a/b", Adapter.VERDICT_PREDICTION: "c=d"}
    with pytest.raises(SettingsError, match="expected NAME=VALUE, got 'folder'"):
        parse("--adapters", "folder")


@pytest.mark.parametrize("profile", sorted(path.stem for path in PROFILES.glob("*.toml")))
def test_every_profile_loads_and_survives_a_round_trip(profile):
    settings = load(profile, {})
    assert settings.profile == profile
    assert Settings.model_validate_json(settings.model_dump_json()) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[graph]\ndeepness = 3", "graph.deepness: unknown setting; .*--help-all"),
        ("[graph]\ndept = 3", r"graph.dept: unknown setting; did you mean depth\?"),
        ("[graph]\ndepth = 'x'", "graph.depth"),
        ('strategy = "gto"', "strategy: expected one of .*; got 'gto', did you mean got"),
        ("[run]\ndepth = 1", r"run.depth: unknown setting; it belongs in \[graph\]"),
        ("[graph", "not a TOML file"),
        ("graph = 3", r"graph: expected a table \[graph\], got 3"),
        ('strategy = "café"', r"bad.toml: expected UTF-8, got byte 0xe9 at offset 15; save the file"),
        ("a = " + "[" * 5000, "not a TOML file"),
        ("[run]\nbudget = inf", "run.budget: expected a finite number, got inf"),
        ("[graph]\ndepth = 1000000000000000000000", "graph.depth: expected a number less than or equal to 100, got 1"),
        (f"[model.adapters]\nmoderator = '{'a' * 5000}'", "model.adapters.moderator: expected a path or a name"),
        ('[reading]\nverifier = "a\\u0000"', "reading.verifier: expected a path or a name"),
    ],
)
def test_a_bad_profile_is_named_with_its_fault(tmp_path, text, message):
    profile = tmp_path / "bad.toml"
    profile.write_bytes(text.encode("latin-1"))
    with pytest.raises(SettingsError, match=message):
        load(str(profile), {"branches": 2})


@pytest.mark.parametrize(
    ("confidences", "probabilities", "message"),
    [
        ([], [], "two confidences or more"),
        ([0, 1], [0.5], "a probability for each"),
        ([0, 0, 1], [0, 1, 1], "ascend from 0 to 1"),
        ([0, 1], [0, 2], "probabilities from 0 to 1"),
        ([0, 1], [math.nan, 1], r": probabilities.0: expected a finite number, got nan; make one"),
    ],
)
def test_rejects_a_calibration_that_is_not_a_curve(tmp_path, confidences, probabilities, message):
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps({"confidences": confidences, "probabilities": probabilities}))
    with pytest.raises(SettingsError, match=rf"calibration.json.*{message}"):
        load_calibration(load("laptop", {"calibration": str(path)}))


def test_documents_have_a_strategy_of_their_own():
    documents = load("laptop", {}).for_documents()
    assert (load("laptop", {}).strategy, documents.strategy) == ("got", "entailment")
    fitted = load("laptop", {"calibration": "mine.json"})
    assert fitted.run.calibration and not fitted.for_documents().run.calibration
    for profile, given in (("laptop", {"document_strategy": ""}), ("a10g", {})):
        settings = load(profile, given)
        assert settings.for_documents() is settings
    with pytest.raises(SettingsError, match=r"document_strategy: expected one of .*, did you mean entailment"):
        load("laptop", {"document_strategy": "entailmnt"})
