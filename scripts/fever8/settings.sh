# shellcheck shell=bash
# Settings of the submission, read by its other scripts. What the environment sets goes before what stands here.
SPLIT=${SPLIT:-test_2025}              # claims in data_store/averitec/SPLIT.json, stores in knowledge_store/SPLIT/
MODELS=${MODELS:-models}               # folder for the weights that installation.sh fetches, a Hugging Face cache
ADAPTERS=${ADAPTERS:-models/adapters}  # folder with a LoRA adapter for each trained task, named as the task is
PROFILE=${PROFILE:-a10g}               # of the system; a machine that cannot run it is told so, and gets no other system
OPTIONS=${OPTIONS:-}                   # further options of the system, such as: --model FOLDER --encoder FOLDER

use_cuda_compat() { # the libraries that installation.sh installed if the driver is too old for CUDA 13
  [ -s .cuda_compat ] || return 0
  LD_LIBRARY_PATH=$(cat .cuda_compat)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
}
use_cuda_compat

HF_HOME=$(realpath -m "$MODELS")
export HF_HOME
read -r -a options <<<"--profile $PROFILE $OPTIONS"
adapters=() # package_submission.sh packs these
for task in question_generation question_answering verdict_prediction moderator; do
  [ ! -e "$ADAPTERS/$task/adapter_config.json" ] || adapters+=("$task=$ADAPTERS/$task")
done
[ "${#adapters[@]}" -eq 0 ] || options+=(--adapters "${adapters[@]}")
