# Part of retrain_adapters.sh --small: the adapter of profile cpu, and what its labels are worth.
$python -m system fetch --profile cpu
base=$($python -c 'from system.hardware.weights import SMOLLM2; print(SMOLLM2.folder)')
sets=(labels ${entailment:+entailment})
[ -e "$data/labels.card.json" ] || step "data sets" $python -m training data --profile cpu --claims "$claims" \
  --held-out "${held_out[@]}" --output "$data" --tokenizer "$base" "${entailment[@]}" --sets "${sets[@]}"

if [ ${#entailment[@]} -gt 0 ]; then
  train labels labels
  train labels-entailment verdict_prediction --from-adapter "$models/labels"
else
  train labels verdict_prediction
fi

profile=$models/trained.toml
sed "s|^verdict_prediction = .*|verdict_prediction = \"$models/verdict_prediction\"|;/^calibration/d" system/profiles/cpu.toml >"$profile"
set=$models/held_out # dev is for testing: confidences are fitted to claims of the training split that no step saw
[ -e "$set/claims.json" ] || step "held-out claims" $python -m training held-out-claims "$claims" "$set"
step "their verdicts" ./run.sh --profile "$profile" --claims "$set/claims.json" --knowledge-store "$set/stores" \
  --output "$set/run" --budget 600 --resume
step "calibration" $python -m system calibrate --predictions "$set/run/submission.json" --gold "$set/claims.json" \
  --output "$models/calibration.json"
step "gold questions of ${held_out[0]}" $python -m training judge-gold "${held_out[0]}" "$models/gold.jsonl" --profile "$profile"
echo "== done; ./run.sh --profile $profile --calibration $models/calibration.json checks claims"
report
