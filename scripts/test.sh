#!/usr/bin/env bash
# Lint, format, types and the quick tests: at most 5 minutes on 2 idle cores. Arguments go to pytest; "-m ''" runs the
# slow tests too (real processes, real models, a browser), as .ci/run does.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
echo "test.sh: lint, format, types and tests; without arguments at most 5 minutes on 2 idle cores (.ci/run tests the rest)"
scripts/setup.sh test ray serve train score
bin=$root/.venv/bin
"$bin/ruff" check --quiet .
"$bin/ruff" format --quiet --check .
types=$(mktemp)
trap 'rm -f "$types"' EXIT
"$bin/mypy" --no-error-summary >"$types" 2>&1 & # beside the tests, since it uses one core
mypy=$!
export OMP_NUM_THREADS=1 # two threads of one tiny model wait for each other on busy cores
[ $# -gt 0 ] || set -- -n 2 --dist loadfile # a file stays in one process, because its tests share fixtures
"$bin/python" -m pytest -q -m "not slow" "$@" && tests=0 || tests=$?
wait "$mypy" || { cat "$types"; exit 1; }
exit "$tests"
