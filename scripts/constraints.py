"""Write constraints.txt: the installed version of every package that the project and its extras require.

    python -m scripts.constraints --upgrade    # first install the newest versions that pyproject.toml allows
    .ci/run                                    # then test them, before the file is committed

Without --upgrade it records the versions of this environment. The extras of vLLM are left out: vLLM pins its own.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "constraints.txt"
LEFT_OUT = {"gpu", "cpu"}
HEAD = "# Versions that were tested together; scripts/constraints.py writes this file.\n"


def extras() -> list[str]:
    """Return the extras whose versions are recorded."""
    return [extra for extra in _project()["optional-dependencies"] if extra not in LEFT_OUT]


def versions(extras: Sequence[str]) -> dict[str, str]:
    """Return the versions of all packages that the project and some of its extras require, directly or not.

    Raises:
        SystemExit: a package is not installed.
    """
    project = _project()
    required = [
        *project["dependencies"],
        *(line for extra in extras for line in project["optional-dependencies"][extra]),
    ]
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(line) for line in required]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        wanted = {(name, extra) for extra in ("", *requirement.extras)} - seen
        seen |= wanted
        if wanted:
            installed = _installed(name)
            found[name] = re.sub(r"\+.*", "", installed.version)  # without +cpu, which names a build
            waiting += (each for _, extra in wanted for each in _requirements(installed.requires or [], extra))
    return dict(sorted(found.items()))


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise SystemExit(f"{name} is not installed; run scripts/setup.sh {' '.join(extras())}") from None


def _requirements(lines: list[str], extra: str) -> list[Requirement]:
    parsed = map(Requirement, lines)
    return [each for each in parsed if each.marker is None or each.marker.evaluate({"extra": extra})]


def main(upgrade: bool) -> None:
    """Upgrade the environment on request, then write the file."""
    if upgrade:
        pip = [sys.executable, "-m", "pip", "install", "--upgrade", "--upgrade-strategy", "eager"]
        subprocess.run([*pip, "--editable", f"{ROOT}[{','.join(extras())}]"], check=True)
    lines = [f"{name}=={version}\n" for name, version in versions(extras()).items()]
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{FILE.name}: {len(lines)} packages")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="install the newest allowed versions first")
    main(parser.parse_args().upgrade)
