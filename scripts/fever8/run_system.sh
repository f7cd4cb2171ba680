#!/usr/bin/env bash
# Runs system_inference.sh, to which all arguments go, and writes what it took to
# data_store/SYSTEM_NAME/measured_timings.txt, in the form of the organizers' own run_system.sh, which may take its place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
eval "$(grep '^SYSTEM_NAME=' system_inference.sh)"
timings=data_store/$SYSTEM_NAME/measured_timings.txt
mkdir -p "${timings%/*}"

now() { date '+%Y-%m-%d %H:%M:%S'; }
clock() { printf '%02d:%02d:%02d' $(($1 / 3600)) $(($1 % 3600 / 60)) $(($1 % 60)); }
say() { printf '%s\n' "$@" >>"$timings"; }

: >"$timings"
say "Script Execution Timings for system: $SYSTEM_NAME" "====================" "Started at $(now)" "===================="
say "Starting Main Execution at $(now)"
SECONDS=0
./system_inference.sh "$@" && status=0 || status=$?
seconds=$SECONDS
say "Finished Main Execution at $(now)" "Duration: $(clock "$seconds")" "----------------------------------------"
[ "$status" -eq 0 ] || { say "Error: Main execution failed"; exit "$status"; }
say "============================================" "Total execution time: $(clock "$seconds")"
say "Script completed at $(now)"
