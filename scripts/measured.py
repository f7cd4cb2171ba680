"""Run a command and record its time and memory: ``measured.py NAME FILE COMMAND ARGUMENT…``

Appends a line to FILE: the name, wall seconds, and the peak resident memory of the command's largest process. The exit
status is the command's. Failed commands are not recorded.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path


def main(name: str, file: Path, command: list[str]) -> int:
    """Run, measure, append."""
    began = time.perf_counter()
    status = subprocess.run(command, check=False).returncode
    seconds = time.perf_counter() - began
    gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20  # Linux counts in KiB
    if status == 0:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(f"{name}\t{seconds:.0f} s\t{gib:.1f} GiB\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]))
