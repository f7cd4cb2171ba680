#!/usr/bin/env bash
# Makes the ZIP file that is handed in to the FEVER-8 shared task: the organizers' four scripts at its root, their
# settings, the code as it is tracked here, and trained adapters. Neither data nor weights are in it.
# Usage: package_submission.sh [--adapters FOLDER] [OUTPUT.zip]    (default: output/fever8.zip)
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^set /s/^# //p' "$0"; exit ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
trained=none
if [ "${1:-}" = --adapters ]; then
  trained=$(realpath "${2:?"--adapters needs a folder"}")
  shift 2
fi
output=$(realpath -m "${1:-$root/output/fever8.zip}")
output=${output%.zip}.zip

cd "$root"
ADAPTERS=$trained . scripts/fever8/settings.sh # what it attaches there is what is packed here
[ "$trained" = none ] || [ ${#adapters[@]} -gt 0 ] ||
  { echo "package_submission.sh: $trained holds no TASK/adapter_config.json, as PEFT writes it" >&2; exit 2; }

staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
git ls-files -z system knowledge_store submission pyproject.toml constraints.txt README.md LICENSE THIRD_PARTY_NOTICES.md \
  scripts/setup.sh scripts/environment.sh | xargs -0 cp --parents -t "$staged"
cp scripts/fever8/*.sh "$staged"
for adapter in "${adapters[@]}"; do
  folder=$staged/models/adapters/${adapter%%=*}
  mkdir -p "$folder"
  find -L "${adapter#*=}" -maxdepth 1 -type f -exec cp -t "$folder" {} + # no checkpoints, no logs
done
echo "adapters: ${adapters[*]:-none, the base model does every task}"

mkdir -p "${output%/*}"
python3 -c 'import shutil, sys; shutil.make_archive(sys.argv[1], "zip", sys.argv[2])' "${output%.zip}" "$staged"
echo "$output ($(du -h "$output" | cut -f1)): unpack it, then download_data.sh, installation.sh, run_system.sh"
