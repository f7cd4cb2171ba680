#!/usr/bin/env bash
# Makes adapters that the engine serves from AVeriTeC's training split: data sets, base, fine-tuning, a check of each
# adapter in the engine, and a claim answered with all of them. Run again, it resumes and skips finished steps.
#
#   retrain_adapters.sh --claims train.json --held-out dev.json [--knowledge-store DIR] [--moderator CHAIN]
#                       [--served CHECKPOINT] [--quantize MODEL] [--models DIR]
#   retrain_adapters.sh --tiny [--claims train.json --held-out dev.json] [--quantize]
#
# --moderator how it is trained: debate-sft on correct and corrected rulings together (DebateCV; the default), d-sft-dpo
#             on correct ones first, then preferring corrected to wrong ones (its first version), or none. On an A10G
#             the three other adapters take about 19 hours, the moderator with its debates two more days
#             (docs/training.md); without it the base model moderates, which DebateCV found worse than one judge
# --served    4-bit checkpoint that the engine serves (default: Qwen/Qwen2.5-14B-Instruct-AWQ)
# --quantize  make that checkpoint of this model instead, by llm-compressor in .venv-quantize
# --models    folder for everything that is written (default: models; with --tiny models/tiny)
# --tiny      the chain on a tiny random model and a few claims, in minutes without a GPU and without a moderator;
#             without --claims on the bundled example claims; what the engine does is left out if vLLM is not installed
#
# Prints the time and the memory that each step took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tiny= moderator=debate-sft quantize= claims= held_out=() store=() models= served=Qwen/Qwen2.5-14B-Instruct-AWQ
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; }
while [ $# -gt 0 ]; do
  case $1 in
    --tiny) tiny=1; shift ;;
    --quantize) if [ $# -gt 1 ] && [[ $2 != --* ]]; then quantize=$2; shift; else quantize=tiny; fi; shift ;;
    --moderator) moderator=${2:?}; shift 2 ;;
    --claims) claims=${2:?}; shift 2 ;;
    --held-out) held_out+=("${2:?}"); shift 2 ;;
    --knowledge-store) store=(--knowledge-store "${2:?}"); shift 2 ;;
    --served) served=${2:?}; shift 2 ;;
    --models) models=${2:?}; shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
models=${models:-models${tiny:+/tiny}}
if [ -z "$tiny" ] && { [ -z "$claims" ] || [ ${#held_out[@]} = 0 ] || [ "$quantize" = tiny ]; }; then usage >&2; exit 2; fi
case $moderator in debate-sft | d-sft-dpo | none) ;; *) usage >&2; exit 2 ;; esac

gpu=; [ -n "$tiny" ] || ! command -v nvidia-smi >/dev/null || gpu=gpu
scripts/setup.sh train $gpu  # unquoted: nothing without a GPU
python=.venv/bin/python training=()
data=$models/data base=$models/base
mkdir -p "$models"
given="claims $claims, held out ${held_out[*]:-}, ${store[*]:-no store}, ${quantize:+quantized from $quantize, }serves $served"
if [ "$(cat "$models/given" 2>/dev/null || echo "$given")" != "$given" ]; then
  echo "$models holds what was made of other inputs: $(cat "$models/given"); give another --models for: $given" >&2
  exit 2
fi
echo "$given" >"$models/given"

# step NAME COMMAND...: run a step and record its time and memory
step() {
  local name=$1; shift
  echo "== $name"
  $python -m scripts.measured "$name" "$models/steps.tsv" "$@"
}

# train TASK ADAPTER [OPTION...]: train an adapter
train() {
  local task=$1 name=$2; shift 2
  step "training $name" $python -m training train --task "$task" --base "$base" --data "$data" \
    --output "$models/$name" "${training[@]}" "$@"
}

# report: total seconds and peak memory of each step, over all calls of this script
report() {
  awk -F'\t' '{ if (!($1 in seconds)) order[++n] = $1; seconds[$1] += $2; if ($3 + 0 > gib[$1]) gib[$1] = $3 + 0; total += $2 }
    END { for (i = 1; i <= n; i++) printf "%-32s %7d s %6.1f GiB\n", order[i], seconds[order[i]], gib[order[i]]
          printf "%-32s %7d s\n", "total", total }' "$models/steps.tsv"
}

engine=1 # whether the adapters can be tried in the engine
if [ -n "$tiny" ]; then
  moderator=none # debates of a random model teach nothing
  $python -c 'import vllm' 2>/dev/null || engine=
  [ -e "$models/made/base/config.json" ] || step "tiny model" $python -m tests.helpers.tiny_model "$models/made"
  served=$models/made/awq
  [ -z "$quantize" ] || quantize=$models/made/base
  if [ -z "$claims" ]; then  # twelve examples to learn from, the others held out
    claims=$models/train.json held_out=("$models/dev.json")
    $python -c 'import json, sys; claims = json.load(open("system/examples/claims.json"))
json.dump(claims[:12], open(sys.argv[1], "w")); json.dump(claims[12:], open(sys.argv[2], "w"))' "$claims" "${held_out[0]}"
  fi
  sets=(--profile server --tokenizer "$models/made/base" --limit 16 --context 2048 --sets question_generation verdict_prediction)
  last_set=verdict_prediction training=(--epochs 2 --learning-rate 0.005 --batch 4 --context 2048)
  calibrating=(--calibration 16 --measured 8)
else
  sets=("${store[@]}" --sets question_generation verdict_prediction question_answering)
  last_set=question_answering training=() calibrating=()
fi

[ -e "$data/$last_set.card.json" ] ||
  step "data sets" $python -m training data --claims "$claims" --held-out "${held_out[@]}" --output "$data" "${sets[@]}"
if [ -n "$quantize" ]; then
  scripts/setup_quantize.sh
  served=$models/awq
  step "quantization" $python -m training quantize --base "$quantize" --data "$data" --output "$served" "${calibrating[@]}"
fi
step "base" $python -m training dequantize "$served" --output "$base"
[ -z "$tiny" ] || served=$base  # vLLM multiplies 4-bit weights only on some processors

profile=$models/trained.toml # the profile of the served model, with the adapters
if [ -n "$tiny" ]; then printf '[model]\nbackend = "vllm"\nmodel = "%s"\n' "$served"
else sed "s|^model = .*|model = \"$served\"|" system/profiles/a10g.toml; fi >"$profile"
printf '\n[model.adapters]\n' >>"$profile"
# checked TASK ADAPTER [OPTION...]: train and check the adapter of a task of the engine, and add it to the profile
checked() {
  local task=$1 name=$2; shift 2
  train "$task" "$name" "$@"
  [ -z "$engine" ] || step "check $name" $python -m training check "$models/$name" --backend vllm --model "$served" --count 4
  printf '%s = "%s"\n' "$name" "$models/$name" >>"$profile"
}

for task in qg:question_generation qa:question_answering verdict:verdict_prediction; do
  name=${task#*:}
  if [ -e "$data/$name.jsonl" ]; then checked "${task%:*}" "$name"
  else echo "no data set for $name: its tasks stay with the base model"; fi
done
if [ "$moderator" = none ]; then
  echo "no moderator is trained: the base model moderates; --no-debate lets branches vote instead"
else # debates over graphs of the adapters just trained, as the moderator will meet them
  [ -e "$data/moderator_preferences.card.json" ] || step "debates" $python -m training data --profile "$profile" \
    --claims "$claims" --held-out "${held_out[@]}" --output "$data" "${store[@]}" --sets moderator
  from=()
  if [ "$moderator" = d-sft-dpo ]; then
    train moderator-sft moderator_sft
    from=(--from-adapter "$models/moderator_sft")
  fi
  checked "moderator${from:+-dpo}" moderator "${from[@]}"
fi

if [ -n "$engine" ]; then
  step "a claim" ./run.sh --profile "$profile" --limit 1 --branches 1 --depth 1 --budget 600 --output "$models/answer" --overwrite
else
  echo "vLLM is not installed: the adapters were not tried in the engine"
fi
echo "== done; ./run.sh --profile $profile checks claims with these adapters"
report
