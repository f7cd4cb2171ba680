"""constraints.txt: every package that the project stands on, in the version that is tested here."""

from scripts import constraints

EXTRAS = ["ray", "serve", "test", "train"]  # of scripts/test.sh


def recorded():
    lines = constraints.FILE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def test_every_package_is_pinned_to_the_tested_version():
    tested = constraints.versions(EXTRAS)
    pinned = {name: version for name, version in recorded().items() if name in tested}
    assert pinned == tested, "run scripts/setup.sh, or scripts/constraints.py to record a change"


def test_the_file_lists_only_packages_and_versions():
    assert all(name and version and not set("/:@+ ") & set(name + version) for name, version in recorded().items())


def test_nothing_for_a_gpu_is_installed_without_one():
    assert not [name for name in recorded() if name.startswith(("nvidia", "cuda", "triton", "vllm"))]
