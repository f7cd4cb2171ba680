#!/usr/bin/env bash
# Lint, format, types and the quick tests: at most 5 minutes on 2 idle cores. Arguments go to pytest; "-m ''" runs the
# slow tests too (real processes, real models, a browser), as .ci/run does.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
echo "test.sh: lint, format, types and tests; without arguments at most 5 minutes on 2 idle cores (.ci/run tests the rest)"
scripts/setup.sh test docs ray serve train bench
bin=$root/.venv/bin
"$bin/ruff" check --quiet .
"$bin/ruff" format --quiet --check .
"$bin/mypy" --no-error-summary
export OMP_NUM_THREADS=1 # two threads of one tiny model wait for each other where the cores have other work
[ $# -gt 0 ] || set -- -n 2 --dist loadfile # a file stays in one process: its tests share what they make
exec "$bin/python" -m pytest -q -m "not slow" "$@"
