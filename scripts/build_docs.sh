#!/usr/bin/env bash
# Builds docs/ as HTML into output/docs; a warning is an error.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh archive docs mcp ray serve train score # the code is imported for its docstrings
rm -rf docs/reference/api # made from the code that is there now
.venv/bin/sphinx-build -W --keep-going -q -b html docs output/docs
echo output/docs/index.html
