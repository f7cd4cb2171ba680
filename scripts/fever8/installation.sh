#!/usr/bin/env bash
# Installs the system into .venv, fetches all weights, and checks one bundled claim, which also fills the caches of what
# is compiled at the first run: nothing of this is left for the time that the organizers measure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source-path=SCRIPTDIR
. ./settings.sh

find_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  [ -x .conda/bin/python ] || conda create --quiet --yes --prefix .conda python=3.12 >&2 ||
    { echo "installation.sh: neither Python 3.11 to 3.13 nor conda; install one, or set PYTHON" >&2; return 1; }
  realpath .conda/bin/python
}

PYTHON=$(find_python)
export PYTHON
if nvidia-smi --list-gpus >/dev/null 2>&1; then scripts/setup.sh gpu; else scripts/setup.sh; fi
.venv/bin/python -m system fetch "${options[@]}"
.venv/bin/python -m system doctor "${options[@]}"
.venv/bin/python -m system --limit 1 --overwrite --output data_store/installation "${options[@]}"
echo "installed; next: source .venv/bin/activate && ./run_system.sh"
