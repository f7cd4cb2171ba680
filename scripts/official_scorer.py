"""The organizers' scorer on a submission, as their ``compute`` runs it; its Ev2R half asks a server of yours.

Runs in an environment of its own, see ``official_score.sh``.

Usage: official_scorer.py REPOSITORY SUBMISSION.csv GOLD.csv [MODEL@ADDRESS]
"""

import os
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace
from typing import Any

import pandas as pd


def main() -> None:
    """Print the scores of the legacy half and, with a judge, those of the Ev2R half."""
    repository, submission, gold, *judge = sys.argv[1:]
    sys.path.insert(0, repository)
    import averitec_evaluate

    for package in ("punkt", "punkt_tab", "wordnet"):
        averitec_evaluate.download_nltk_data(package, os.environ["NLTK_DATA"])
    predicted, wanted = both_sides(pd.read_csv(submission), pd.read_csv(gold))
    evaluator = averitec_evaluate.AVeriTeCEvaluator()
    questions, _ = evaluator.evaluate_questions_only(predicted, wanted)
    pairs, _ = evaluator.evaluate_questions_and_answers(predicted, wanted)
    averitec, _ = evaluator.evaluate_averitec_score(predicted, wanted)
    print(f"Q METEOR {questions:.6f}, Q+A METEOR {pairs:.6f}, legacy AVeriTeC @0.25 {averitec[0]:.6f}")
    if any(judge):
        print_ev2r(averitec_evaluate, predicted, wanted, judge[0])


def print_ev2r(averitec_evaluate: ModuleType, predicted: pd.DataFrame, wanted: pd.DataFrame, judge: str) -> None:
    """Print recall of questions and of evidence, and the AVeriTeC score of FEVER-8.

    Args:
        judge: MODEL@ADDRESS of a server that speaks OpenAI's chat completions.
    """
    evaluator = averitec_evaluate.EV2REvaluator(_properties())
    evaluator.llamaapi_client = _client(*judge.split("@", 1))
    questions, gold_questions, pairs, gold_pairs = evaluator.prepare_dataset(predicted, wanted)
    replies = evaluator.prompt_api_model(questions, gold_questions, input_type="question")
    question_recall, _ = evaluator.extract_recall_score(evaluator.calculate_question_scores(replies))
    replies = evaluator.prompt_api_model(pairs, gold_pairs, input_type="qa_pair")
    judged = evaluator.calculate_prediction_scores(replies)
    averitec, _, recall, _ = evaluator.extract_ev2r_score(predicted, wanted, judged)
    print(f"Q Ev2R recall {question_recall:.6f}, Q+A Ev2R recall {recall:.6f}, AVeriTeC {averitec[0]:.6f}")


def _properties() -> ModuleType:
    """Import their ``properties.py``, whose data sets want torch, without gigabytes of CUDA: no score uses them."""
    if find_spec("torch"):
        return import_module("properties")
    data = SimpleNamespace(Dataset=object, DataLoader=object)
    utils = SimpleNamespace(data=data)
    stand_ins: dict[str, Any] = {"torch": SimpleNamespace(utils=utils), "torch.utils": utils, "torch.utils.data": data}
    sys.modules.update(stand_ins)
    try:
        return import_module("properties")
    finally:
        for name in stand_ins:  # scipy looks into any torch it finds
            del sys.modules[name]


def _client(model: str, address: str) -> SimpleNamespace:
    """A client in the form of OpenAI's that asks ``model``, whichever model the scorer names."""
    from openai import OpenAI

    client = OpenAI(base_url=address, api_key=os.environ.get("FACTGRAPH_API_KEY", "none"))

    def create(**request: Any) -> Any:
        return client.chat.completions.create(**request | {"model": model})

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def both_sides(submission: pd.DataFrame, gold: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows with the gold ids on both sides, in the order of the ids."""
    ids = gold.loc[gold["split"] == "gold", "id"]
    predicted, wanted = (table[table["id"].isin(ids)].sort_values("id") for table in (submission, gold))
    return predicted.reset_index(drop=True), wanted.reset_index(drop=True)


if __name__ == "__main__":
    main()
