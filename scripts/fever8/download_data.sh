#!/usr/bin/env bash
# Downloads the claims and the knowledge stores of a split; resumes, checks what came, and does
# nothing for what is here. Usage: download_data.sh [SPLIT...]    (default: SPLIT of settings.sh)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source-path=SCRIPTDIR
. ./settings.sh
[ $# -gt 0 ] || set -- "$SPLIT"
exec python3 scripts/download.py "$@" --source "$DATA"
