#!/usr/bin/env bash
# Trains the reader on a GPU that is lent for minutes, on a machine without a network. The calls, in order:
#
#   kit.sh pack BASE PAIRS.npz…  here: put the array files, and the encoder in pieces, into .gpu/ (git-ignored)
#   kit.sh away                  here: move large tracked weights out of the tree, which travels to that machine
#   kit.sh keep FILE             there, with the file of .gpu/ carried along: keep it in /tmp/reader
#   kit.sh compare STEPS         there: train 12, 8 and 6 layers for as many steps
#   kit.sh train MINUTES         there: train, print loss and tokens
#   kit.sh take N                there: copy pieces 4N to 4N + 3 of the trained reader, 15 MB each, to $OUT
#   kit.sh back                  here: put the weights back; run it also after a failure
#   kit.sh unpack FOLDER OUTPUT  here: join the pieces in FOLDER to a reader that 'export' takes
#
# LAYERS (8), STEPS (0: as the minutes allow) and PYTHON come from the environment. STEPS=2 rehearses on a CPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
python=${PYTHON:-$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)}
kit=.gpu work=${WORK:-/tmp/reader} aside=${root%/}.weights
heavy=(system/reader/mpnet knowledge_store/dense/minilm)

run() { # LAYERS OUTPUT OPTION...
  local layers=$1 output=$2
  shift 2
  [ -d "$work/base" ] || cat "$work"/base.? | tar -C "$work" -xf -
  local began=$SECONDS
  $python -m training.reader.command train --data "$work"/pairs.*.npz --base "$work/base" --output "$output" \
    --layers "$layers" --frozen 0 --rate 1e-4 --every 3 "$@"
  echo "$layers layers: $((SECONDS - began)) s"
}

case ${1:-} in
  pack)
    mkdir -p $kit && rm -f $kit/base.*
    $python -c "from pathlib import Path; from training.reader.network import Network
Network('$2').save(Path('$kit/base'))"
    tar -C $kit -cf - base | split -b 55M -d -a 1 - $kit/base.
    rm -r $kit/base
    for ((n = 3; n <= $#; n++)); do cp "${!n}" $kit/pairs.$((n - 3)).npz; done
    ls -l $kit
    ;;
  away)
    mkdir -p "$aside"
    for folder in "${heavy[@]}"; do [ ! -e $folder ] || mv $folder "$aside/${folder//\//.}"; done
    du -sh --exclude=.git --exclude=.venv --exclude=.gpu .
    ;;
  back)
    for folder in "${heavy[@]}"; do [ ! -e "$aside/${folder//\//.}" ] || mv "$aside/${folder//\//.}" $folder; done
    rmdir "$aside" 2>/dev/null || true
    ;;
  keep) mkdir -p "$work" && mv "$kit/$2" "$work/" ;;
  compare) for layers in 12 8 6; do run $layers "$work/table" --steps "$2" && rm -r "$work/table"; done ;;
  train)
    run "${LAYERS:-8}" "$work/out" --minutes "$2" --steps "${STEPS:-0}"
    rm -f "$work"/out/state.pt "$work"/piece.*
    tar -C "$work/out" -cf - . | split -b 15M -d -a 2 - "$work/piece."
    ls "$work"/piece.* | wc -l
    "$0" take 0
    ;;
  take) for n in 0 1 2 3; do cp "$work/piece.$(printf %02d $((4 * $2 + n)))" "$OUT/" 2>/dev/null || true; done ;;
  unpack) mkdir -p "$3" && cat "$2"/piece.* | tar -C "$3" -xf - ;;
  *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
