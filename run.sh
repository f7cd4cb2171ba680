#!/usr/bin/env bash
# Checks claims against a knowledge store and writes a submission and a time report.
# Without arguments: the bundled examples and a short article, into output/. "./run.sh --help" lists the rest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || echo "run.sh: checks the bundled example claims, then a short article, and writes output/"
"$root/scripts/setup.sh"
exec "$root/.venv/bin/python" -m system "$@"
