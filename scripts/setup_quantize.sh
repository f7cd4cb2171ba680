#!/usr/bin/env bash
# Makes .venv-quantize, the environment of llm-compressor, which requires other versions than training.
# Silent when there is nothing to do.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv-quantize
log=$root/.venv-quantize-setup.log
wanted="llmcompressor==0.14.0.1"

fail() { echo "setup failed: $(grep -m1 -i error "$log" || tail -n 1 "$log"); see $log" >&2; exit 1; }

[ "$(cat "$venv/.installed" 2>/dev/null)" = "$wanted" ] && exit 0
echo "setting up $venv (first time: some minutes and 2 GB; log: $log)"
"${PYTHON:-python3}" -m venv "$venv" >"$log" 2>&1 || fail
torch=$(grep '^torch==' "$root/constraints.txt")
command -v nvidia-smi >/dev/null || "$venv/bin/pip" install --quiet --no-deps "$torch+cpu" >>"$log" 2>&1 ||
  echo "no build of $torch for CPUs alone; taking what the package index has" >>"$log"
"$venv/bin/pip" install --quiet "$wanted" >>"$log" 2>&1 || fail
echo "$wanted" >"$venv/.installed"
