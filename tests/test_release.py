"""Documents beside the code say the same as the code."""

import re

import pytest

from system import __version__
from system.hardware.weights import needed
from system.settings import PROFILES, load
from tests.helpers.processes import ROOT


def test_citation_and_changelog_name_the_version():
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d$", _text("CHANGELOG.md"), re.MULTILINE)


@pytest.mark.parametrize("profile", sorted(path.stem for path in PROFILES.glob("*.toml")))
def test_every_model_of_a_profile_has_its_notice(profile):
    settings = load(profile, {})
    names = {*needed(settings).values()} | ({settings.model.model} - {""})
    assert [name for name in names if name not in _text("THIRD_PARTY_NOTICES.md")] == []


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
