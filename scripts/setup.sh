#!/usr/bin/env bash
# Makes .venv with what the project needs, in the versions of constraints.txt; once for each state of the two files, and
# silent when there is nothing to do. It installs with uv where that is found, else with pip. Without an NVIDIA GPU it
# takes PyTorch's build for CPUs: no CUDA, no Triton.
# Usage: setup.sh [EXTRA...]    extras of pyproject.toml, such as "test"
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
extras=$(IFS=,; echo "$*")
stamps=("$venv/.installed" "${@/#/$venv/.installed-}") # one for what all need, one for each extra
log=$root/.venv-setup.log

. "$root/scripts/environment.sh"

wanted() { cat "$root/pyproject.toml" "$root/constraints.txt"; }
is_done() { for stamp in "${stamps[@]}"; do wanted | cmp -s - "$stamp" || return 1; done; }

trim() { # plugins for devices that are not here: a tenth of a GB
  rm -f "$venv"/lib/python3.*/site-packages/openvino/libs/libopenvino_intel_{gpu,npu}_plugin.so
}

show_types() { # to type checkers: they read path files, and not the import hook of an editable install with two roots
  local packages
  for packages in "$venv"/lib/python3.*/site-packages; do
    printf '%s\n' "$root" "$root/system/library" >"$packages/factgraph.pth"
  done
}

is_done && { [ -L "$venv" ] || show_types; exit 0; } # a link is to the .venv of another checkout

echo "setting up $venv (once, log: $log)"
make_venv
versions=(--constraint "$root/constraints.txt")
if [[ ",$extras," == *,gpu,* ]]; then
  versions=() # vLLM pins versions of its own
elif ! has_gpu && [[ ",$extras," =~ ,(cpu|hub|train), ]]; then
  install_cpu_torch
fi
install "${versions[@]}" --editable "$root${extras:+[$extras]}" || fail_with_log
has_gpu || trim
show_types
for stamp in "${stamps[@]}"; do wanted >"$stamp"; done
