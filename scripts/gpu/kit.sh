#!/usr/bin/env bash
# Trains the reader on a GPU that is lent for minutes, on a machine without a network. The calls, in order:
#
#   kit.sh pack BASE PAIRS.npz   here: put the array file, and the encoder's layers in pieces, into .gpu/ (git-ignored)
#   kit.sh away                  here: move large tracked weights out of the tree, which travels to that machine
#   kit.sh join N                there, with .gpu/base.N carried along: keep piece N in /tmp/reader
#   kit.sh train MINUTES         there, with .gpu/pairs.npz carried along: train, print tokens a second and figures
#   kit.sh take N                there: copy pieces 4N to 4N + 3 of the trained reader, 15 MB each, to $OUT
#   kit.sh back                  here: put the weights back; run it also after a failure
#   kit.sh unpack FOLDER OUTPUT  here: join the pieces in FOLDER to a reader that 'export' takes
#
# LAYERS (8), STEPS (0: as the minutes allow) and PYTHON come from the environment. STEPS=2 rehearses on a CPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
python=${PYTHON:-$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)}
layers=${LAYERS:-8} kit=.gpu work=${WORK:-/tmp/reader} aside=${root%/}.weights
heavy=(system/reader/mpnet knowledge_store/dense/minilm)

case ${1:-} in
  pack)
    mkdir -p $kit && rm -f $kit/base.*
    $python -c "from pathlib import Path; from training.reader.network import Network
Network('$2', $layers).save(Path('$kit/base'))"
    tar -C $kit -cf - base | split -b 42M -d -a 1 - $kit/base.
    rm -r $kit/base
    cp "$3" $kit/pairs.npz
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
  join) mkdir -p "$work" && mv "$kit/base.$2" "$work/" ;;
  train)
    cat "$work"/base.? | tar -C "$work" -xf -
    began=$SECONDS
    $python -m training.reader.command train --data $kit/pairs.npz --base "$work/base" --output "$work/out" \
      --minutes "$2" --layers 0 --frozen 0 --rate 1e-4 --every 3 --steps "${STEPS:-0}"
    echo "$((SECONDS - began)) s"
    rm -f "$work"/out/state.pt "$work"/piece.*
    tar -C "$work/out" -cf - . | split -b 15M -d -a 2 - "$work/piece."
    ls "$work"/piece.* | wc -l
    "$0" take 0
    ;;
  take) for n in 0 1 2 3; do cp "$work/piece.$(printf %02d $((4 * $2 + n)))" "$OUT/" 2>/dev/null || true; done ;;
  unpack) mkdir -p "$3" && cat "$2"/piece.* | tar -C "$3" -xf - ;;
  *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
