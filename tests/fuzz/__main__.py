"""Run one target of ``targets.py`` under atheris (libFuzzer): inputs are changed towards code not yet reached.

    scripts/setup.sh fuzz
    .venv/bin/python -m tests.fuzz claims --seconds 20

The first input that breaks the target's promise ends the run with its traceback and a status that is not 0, and is
kept in ``--artifacts``; a further call with ``--input FILE`` tries that file alone.
"""

import argparse
import logging
import multiprocessing
import sys
import tempfile
import zlib
from pathlib import Path
from random import Random

import atheris

from tests.fuzz.mutation import mutate_json

# Their bytecode is instrumented on import, to see what an input reaches; libraries in C and Rust stay dark.
with atheris.instrument_imports(include=["system", "submission", "knowledge_store", "training", "tomllib"]):
    from tests.fuzz.targets import TARGETS, Target

LONGEST_INPUT = 8192  # bytes
MEMORY = 1024  # MiB of the whole process


def main() -> int:
    """Parse the command line and fuzz in a process of its own, for libFuzzer ends the one in which it runs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz one reader.")
    parser.add_argument("target", choices=sorted(TARGETS), help="what reads the inputs")
    parser.add_argument("--seconds", type=int, default=20, help="how long")
    parser.add_argument("--seed", type=int, default=1, help="of the changes")
    parser.add_argument("--artifacts", type=Path, default=Path(), help="folder for an input that breaks it")
    parser.add_argument("--input", type=Path, help="try this file alone")
    args = parser.parse_args()
    logging.disable()  # warnings are results here, and there are thousands
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        process = multiprocessing.get_context("fork").Process(target=_fuzz, args=(args, Path(folder)))
        process.start()
        process.join()
    return process.exitcode or 0


def _fuzz(args: argparse.Namespace, folder: Path) -> None:
    """Hand over to libFuzzer."""
    target = TARGETS[args.target]
    corpus = args.input or _corpus(folder / "corpus", target)
    scratch = folder / "scratch"
    scratch.mkdir()

    def check(data: bytes) -> None:
        try:
            target.check(data, scratch)
        except Exception:
            (args.artifacts / f"{args.target}-{zlib.crc32(data):08x}").write_bytes(data)
            raise

    atheris.Setup([*_options(args), str(corpus)], check, custom_mutator=_mutate)
    atheris.Fuzz()


def _corpus(folder: Path, target: Target) -> Path:
    """A folder with a file for each of the first inputs."""
    folder.mkdir()
    for number, seed in enumerate(target.seeds):
        (folder / str(number)).write_bytes(seed)
    return folder


def _mutate(data: bytes, longest: int, seed: int) -> bytes:
    """Every other time a change within JSON, where there is some, else libFuzzer's own changes of bytes."""
    random = Random(seed)
    changed = mutate_json(data, random) if random.random() < 0.5 else None
    if changed is None:
        return bytes(atheris.Mutate(data, longest))
    return changed[:longest]


def _options(args: argparse.Namespace) -> list[str]:
    """The command line of libFuzzer."""
    return [
        sys.argv[0],
        f"-max_total_time={args.seconds}",
        f"-seed={args.seed}",
        f"-max_len={LONGEST_INPUT}",
        f"-timeout={TARGETS[args.target].seconds}",
        f"-rss_limit_mb={MEMORY}",
        f"-artifact_prefix={args.artifacts}/",
        "-print_final_stats=1",
        "-verbosity=0",
    ]


if __name__ == "__main__":
    sys.exit(main())
