#!/usr/bin/env bash
# Sets up what the tests need and runs them: lint, format, types, tests. Arguments go to pytest (-m "not slow" is quick).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
echo "test.sh: checks lint, format and types, then runs the tests"
scripts/setup.sh test docs ray serve train
bin=$root/.venv/bin
"$bin/ruff" check --quiet .
"$bin/ruff" format --quiet --check .
"$bin/mypy" --no-error-summary
exec "$bin/python" -m pytest -q "$@"
