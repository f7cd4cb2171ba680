#!/usr/bin/env bash
# Makes .venv with what the project needs, in the versions of constraints.txt, and fetches the small model that answers
# without a GPU; once for each state of the two files, and silent when there is nothing to do. It installs with uv where
# that is found, else with pip. Without an NVIDIA GPU it takes PyTorch's build for CPUs: no CUDA, no Triton.
# Usage: setup.sh [EXTRA...]    extras of pyproject.toml, such as "test"
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
extras=$(IFS=,; echo "$*")
stamps=("$venv/.installed" "${@/#/$venv/.installed-}") # one for what all need, one for each extra
log=$root/.venv-setup.log

fail() { echo "setup failed: $1" >&2; exit 1; }

wanted() { cat "$root/pyproject.toml" "$root/constraints.txt"; }
is_done() { for stamp in "${stamps[@]}"; do wanted | cmp -s - "$stamp" || return 1; done; }

install() { # what "pip install" takes
  if command -v uv >/dev/null; then
    uv pip install --quiet --python "$venv/bin/python" "$@" >>"$log" 2>&1 && return
    echo "uv could not do that; asking pip" >>"$log"
  fi
  "$venv/bin/python" -m pip install --quiet --no-compile "$@" >>"$log" 2>&1
}

install_cpu_torch() { # PyTorch's own index has this build; docs/install.md says how to name it where PyPI does not
  local torch
  torch=$(grep '^torch==' "$root/constraints.txt")
  install --no-deps "$torch+cpu" ||
    echo "no build of $torch for CPUs alone; taking what the package index has" >>"$log"
}

trim() { # what the packages carry for those who develop them, and for devices that are not here: a quarter of a GB
  local packages
  for packages in "$venv"/lib/python3.*/site-packages; do
    rm -rf "$packages"/torch/{include,test} "$packages"/openvino/libs/libopenvino_intel_{gpu,npu}_plugin.so
    [ ! -d "$packages/torch/bin" ] || find "$packages/torch/bin" -type f ! -name torch_shm_manager -delete
  done
}

is_done && exit 0

python=${PYTHON:-python3}
command -v "$python" >/dev/null || fail "$python not found; install Python 3.11 or newer, or set PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "$("$python" --version) is too old; install Python 3.11 or newer, or set PYTHON"

echo "setting up $venv (once; about 1.5 GB and two minutes, log: $log)"
: >"$log"
if [ ! -x "$venv/bin/pip" ]; then
  "$python" -m venv "$venv" >>"$log" 2>&1 || fail "cannot make a virtual environment (Debian: apt install python3-venv); see $log"
fi
versions=(--constraint "$root/constraints.txt")
lean=
if [[ ",$extras," == *,gpu,* ]]; then
  versions=() # vLLM pins versions of its own
elif ! nvidia-smi --list-gpus >/dev/null 2>&1; then
  install_cpu_torch
  [[ ",$extras," == *,cpu,* || ",$extras," == *,train,* ]] || lean=1 # vLLM and training compile against the headers
fi
install "${versions[@]}" --editable "$root${extras:+[$extras]}" ||
  fail "$(grep -i error "$log" | tail -n 1 || tail -n 1 "$log"); see $log"
[ -z "$lean" ] || trim
# What cannot be fetched now is fetched by the first run that needs it, or stops that; other profiles need none of it.
if [ -e "$root/system/__main__.py" ]; then
  (cd "$root" && "$venv/bin/python" -m system fetch --profile cpu >>"$log" 2>&1) || tail -n 1 "$log" >&2
fi
for stamp in "${stamps[@]}"; do wanted >"$stamp"; done
