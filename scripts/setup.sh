#!/usr/bin/env bash
# Makes .venv with what the project needs, and fetches the small model that answers without a GPU, once for each state of
# pyproject.toml; silent when there is nothing to do.
# Usage: setup.sh [EXTRA...]    extras of pyproject.toml, such as "test"
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
extras=$(IFS=,; echo "$*")
stamps=("$venv/.installed" "${@/#/$venv/.installed-}") # one for what all need, one for each extra
log=$root/.venv-setup.log

fail() { echo "setup failed: $1" >&2; exit 1; }

is_done() { for stamp in "${stamps[@]}"; do cmp -s "$root/pyproject.toml" "$stamp" || return 1; done; }

is_done && exit 0

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "no $python; install Python 3.11 or newer, or set PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$("$python" --version) is too old; install Python 3.11 or newer, or set PYTHON"

echo "setting up $venv (first time: some minutes and 2 GB; log: $log)"
if [ ! -x "$venv/bin/pip" ]; then
  "$python" -m venv "$venv" >"$log" 2>&1 || fail "cannot make a virtual environment (Debian: apt install python3-venv); see $log"
fi
"$venv/bin/pip" install --quiet --editable "$root${extras:+[$extras]}" >"$log" 2>&1 ||
  fail "$(grep -m1 -i error "$log" || tail -n 1 "$log"); see $log"
# What cannot be fetched now is fetched by the first run that needs it, or stops that; other profiles need none of it.
if [ -e "$root/system/__main__.py" ]; then
  (cd "$root" && "$venv/bin/python" -m system fetch --profile cpu >>"$log" 2>&1) || tail -n 1 "$log" >&2
fi
for stamp in "${stamps[@]}"; do cp "$root/pyproject.toml" "$stamp"; done
