#!/usr/bin/env bash
# Makes .venv-quantize, the environment of llm-compressor, which requires other versions than training.
# Silent when there is nothing to do.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv-quantize
log=$root/.venv-quantize-setup.log
wanted="llmcompressor==0.14.0.1"

[ "$(cat "$venv/.installed" 2>/dev/null)" = "$wanted" ] && exit 0
. "$root/scripts/environment.sh"
echo "setting up $venv (once; about 2 GB, log: $log)"
make_venv
has_gpu || install_cpu_torch
install "$wanted" || fail_with_log
echo "$wanted" >"$venv/.installed"
