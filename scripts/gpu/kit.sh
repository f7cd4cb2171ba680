#!/usr/bin/env bash
# Trains the reader on a GPU that is lent for minutes, on a machine without a network: first a teacher with all layers,
# then two readers from the teacher's lowest layers and its probabilities, and their mean. The calls, in order:
#
#   kit.sh pack BASE PAIRS.npz…  here: put the array files, the encoder in pieces, and lib.tgz into .gpu/ (git-ignored);
#                                lib.tgz has the libraries of the command line, which that machine may lack
#   kit.sh away                  here: move large tracked weights out of the tree, which travels to that machine
#   kit.sh keep FILE…            there, with these files of .gpu/ carried along: keep them in /tmp/reader
#   kit.sh teacher A             there: train the teacher for A minutes
#   kit.sh readers B             there: train each reader for B minutes
#   kit.sh take WHAT N           there: copy pieces 4N to 4N + 3 of 'reader', 'reader1' or 'reader2' to $OUT
#   kit.sh back                  here: put the weights back; run it also after a failure
#   kit.sh unpack PIECES OUTPUT  here: join the pieces 'PIECES.00' and so on to a reader that 'export' takes
#
# LAYERS (8), STEPS (0: as the minutes allow) and PYTHON come from the environment. STEPS=2 rehearses on a CPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
python=${PYTHON:-$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)}
kit=.gpu work=${WORK:-/tmp/reader} aside=${root%/}.weights
export PYTHONPATH=$work/lib${PYTHONPATH:+:$PYTHONPATH}
heavy=(system/reader/mpnet knowledge_store/dense/minilm)

packed() { # FOLDER PREFIX SIZE: the folder's weights in 8 bits, its configuration and tokenizer, in pieces
  $python -m scripts.gpu.weights pack "$1" "$1/packed"
  tar -C "$1" -cf - --exclude=model.safetensors --exclude=state.pt . | split -b "$3" -d -a 2 - "$2."
  rm "$1/packed"
}

unpacked() { # PREFIX FOLDER
  mkdir -p "$2" && cat "$1".?? | tar -C "$2" -xf -
  $python -m scripts.gpu.weights unpack "$2/packed" "$2"
  rm "$2/packed"
}

run() { # NAME OPTION...: train
  local name=$1 began=$SECONDS
  shift
  $python -m training reader train --data "$work"/pairs.*.npz --output "$work/$name" --frozen 0 --every 9 \
    --steps "${STEPS:-0}" "$@"
  echo "$name: $((SECONDS - began)) s"
}

case ${1:-} in
  pack)
    mkdir -p $kit && rm -rf $kit/base* $kit/pairs.*
    $python -c "from pathlib import Path; from training.reader.network import Network
Network('$2').save(Path('$kit/base'))"
    packed $kit/base $kit/base.piece 57M
    rm -r $kit/base
    tar -C "$($python -c 'import cyclopts; print(cyclopts.__path__[0])')/.." -czf $kit/lib.tgz \
      cyclopts docstring_parser attr attrs rich
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
  keep)
    mkdir -p "$work"
    for file in "${@:2}"; do mv "$kit/$file" "$work/"; done
    ;;
  teacher)
    unpacked "$work/base.piece" "$work/base"
    mkdir -p "$work/lib" && tar -C "$work/lib" -xf "$work/lib.tgz"
    run teacher --base "$work/base" --layers 0 --rate 8e-5 --minutes "$2"
    ;;
  readers)
    for seed in 1 2; do
      run reader$seed --base "$work/teacher" --teacher "$work/teacher" --layers "${LAYERS:-8}" --rate 1e-4 --seed $seed \
        --minutes "$2"
    done
    $python -m scripts.gpu.weights mean "$work"/reader "$work"/reader1 "$work"/reader2
    ;;
  take)
    [ -e "$work/$2.piece.00" ] || packed "$work/$2" "$work/$2.piece" 15M
    for n in 0 1 2 3; do cp "$work/$2.piece.$(printf %02d $((4 * $3 + n)))" "$OUT/" 2>/dev/null || true; done
    ;;
  unpack) unpacked "$2" "$3" ;;
  *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
