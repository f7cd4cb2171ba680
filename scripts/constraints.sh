#!/usr/bin/env bash
# Writes constraints.txt: a version of every package that the project and its extras require, by uv. Recorded versions
# stay unless pyproject.toml forbids them. The extras of vLLM are left out, because vLLM pins its own versions.
# Usage: constraints.sh [--upgrade]    --upgrade takes the newest versions; then run .ci/run before you commit the file
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extras=()
for extra in hub train ray serve mcp archive score bench docs test; do extras+=(--extra "$extra"); done
recorded=(--constraint constraints.txt)
[ "${1:-}" != --upgrade ] || recorded=()
found=$(.venv/bin/uv pip compile --quiet --no-annotate --no-header "${extras[@]}" "${recorded[@]}" pyproject.toml)
{
  echo "# Versions that were tested together; scripts/constraints.sh writes this file."
  grep -vE '^(nvidia|cuda|triton)' <<<"$found" # of PyTorch's build for GPUs
} >constraints.txt
