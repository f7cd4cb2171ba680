#!/usr/bin/env bash
# Installs the system into .venv, fetches all weights, and checks one bundled claim, which also compiles what is compiled
# at the first run. So the time that the organizers measure holds none of it.
#
# vLLM is built for CUDA 13, which needs NVIDIA driver 580. If the driver is older, this installs CUDA's compatibility
# libraries with conda and writes their folder to .cuda_compat, which settings.sh puts into LD_LIBRARY_PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source-path=SCRIPTDIR
. ./settings.sh

find_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  [ -x .conda/bin/python ] || conda create --quiet --yes --prefix .conda python=3.12 >&2 ||
    { echo "installation.sh: neither Python 3.11 to 3.13 nor conda; install one, or set PYTHON" >&2; return 1; }
  realpath .conda/bin/python
}

install_cuda_compat() {
  local driver library
  driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1) || return 0
  [ -n "$driver" ] && [ "${driver%%.*}" -lt 580 ] || return 0
  echo "driver $driver is older than 580: installing CUDA's compatibility libraries"
  conda create --quiet --yes --prefix .conda-cuda 'cuda-compat=13.0' ||
    { echo "installation.sh: conda cannot install cuda-compat; install NVIDIA's package cuda-compat-13-0" >&2; return 1; }
  library=$(find .conda-cuda -name 'libcuda.so.1' | head -n 1)
  [ -n "$library" ] || { echo "installation.sh: cuda-compat has no libcuda.so.1 in .conda-cuda" >&2; return 1; }
  realpath "${library%/*}" >.cuda_compat
}

PYTHON=$(find_python)
export PYTHON
if nvidia-smi --list-gpus >/dev/null 2>&1; then
  install_cuda_compat
  use_cuda_compat # this process and all that it starts: doctor judges the driver with the libraries in place
  scripts/setup.sh gpu
else
  scripts/setup.sh
  [ "$PROFILE" != a10g ] || .venv/bin/python -m system doctor "${options[@]}" # no GPU: say so before 10 GB are fetched
fi
.venv/bin/python -m system fetch "${options[@]}"
.venv/bin/python -m system doctor "${options[@]}"
.venv/bin/python -m system --limit 1 --overwrite --output data_store/installation "${options[@]}"
echo "installed; next: source .venv/bin/activate && ./run_system.sh"
