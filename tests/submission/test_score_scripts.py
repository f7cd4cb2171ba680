"""The scripts that score, on small data, in a checkout whose environment is this one."""

import json
import os
import re
import shutil

import pytest

from submission.write import predictions, write_csv
from system.graph.records import Label
from tests.helpers.local_site import serving
from tests.helpers.processes import ROOT, run_command
from tests.helpers.submission_factories import result
from tests.submission.test_ev2r import FILE, NOT_TO_RUN, JudgeServer

# In the form of the organizers' file: what the script calls, with a score that tells what it was given.
OFFICIAL = """
def download_nltk_data(package, download_dir):
    print("wants", package)

class AVeriTeCEvaluator:
    def evaluate_questions_only(self, predicted, gold):
        return sum(predicted["claim"] == gold["claim"]) / len(gold), []

    def evaluate_questions_and_answers(self, predicted, gold):
        return sum(gold["id"] == list(range(len(gold)))) / len(gold), []

    def evaluate_averitec_score(self, predicted, gold):
        return [sum(predicted["label"] == gold["label"]) / len(gold)], []

class EV2REvaluator:
    def __init__(self, properties):
        self.prompt = properties.PROMPT_MAPPING[properties.PromptTypes.EVIDENCE]

    def prepare_dataset(self, predicted, gold):
        return (list(predicted["claim"]), list(gold["claim"])) * 2

    def prompt_api_model(self, predicted, gold, input_type):
        create = self.llamaapi_client.chat.completions.create
        return [create(model="theirs", messages=[{"role": "user", "content": self.prompt}]) for _ in gold]

    calculate_question_scores = calculate_prediction_scores = lambda self, replies: replies

    def extract_recall_score(self, replies):
        return len(replies), []

    def extract_ev2r_score(self, predicted, gold, replies):
        return [0.5], [], len(replies), []
"""

ROWS = "import torch\n\nclass Rows(torch.utils.data.Dataset):\n    pass\n"

# In the form of the client that their scorer asks: hands the request on to the judge's server.
CLIENT = """
import json, types, urllib.request

class OpenAI:
    def __init__(self, base_url, api_key):
        self.base_url = base_url
        self.chat = types.SimpleNamespace(completions=self)

    def create(self, **request):
        body = urllib.request.Request(self.base_url + "/chat/completions", json.dumps(request).encode())
        return json.load(urllib.request.urlopen(body))
"""


@pytest.fixture
def checkout(tmp_path):
    """The scripts and packages, with nothing to set up."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "scripts", root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "scripts" / "setup.sh").write_text("#!/bin/sh\n")
    shutil.copy2(ROOT / "run.sh", root)
    for name in ("system", "knowledge_store", "submission", ".venv"):
        (root / name).symlink_to(ROOT / name)
    return root


def run(checkout, script, *arguments, status=0, **environment):
    command = [checkout / "scripts" / script, *arguments]
    return run_command(command, status=status, env={**os.environ, **environment}, cwd=checkout)


def test_names_what_is_missing(checkout, tmp_path):
    (tmp_path / "dev.json").touch()
    places = {"CLAIMS": str(tmp_path / "dev.json"), "STORE": str(tmp_path), "JUDGE": ""}
    official = {"OFFICIAL_FOLDER": str(tmp_path / "official"), "OFFICIAL_REPOSITORY": str(tmp_path / "none")}
    for command, environment, message in (
        (["score_dev.sh"], {"CLAIMS": "none.json"}, "no none.json; put AVeriTeC's dev.json there, or set CLAIMS"),
        (["score_dev.sh"], {**places, "PROMPTS": str(tmp_path)}, "set JUDGE, such as server:MODEL@"),
        (["official_score.sh", "submission.csv"], official, f"{tmp_path}/none cannot be fetched; clone it elsewhere"),
    ):
        done = run(checkout, *command, status=None, **environment)
        assert done.returncode in (1, 2) and message in done.stderr


@pytest.mark.slow
def test_one_command_runs_validates_scores_and_reports(checkout, tmp_path, wordnet):
    claims = json.loads((ROOT / "system" / "examples" / "claims.json").read_text())
    answers = [{"answer": "In 1932.", "answer_type": "Extractive"}]
    gold = {"label": "Refuted", "questions": [{"question": "When did it open?", "answers": answers}]}
    (tmp_path / "dev.json").write_text(json.dumps([{**claim, **gold} for claim in claims]))
    places = {"CLAIMS": str(tmp_path / "dev.json"), "STORE": str(ROOT / "knowledge_store" / "examples")}
    done = run(checkout, "score_dev.sh", "--limit", "2", "--two-labels", OUTPUT=str(tmp_path / "out"), **places)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"submission.json", "submission.csv", "timings.json", "scores.json", "report.html"} <= written
    scores = json.loads((tmp_path / "out" / "scores.json").read_text())
    assert scores["labels"]["claims"] == scores["legacy"]["overall"]["claims"] == 2 == len(scores["labels"]["labels"])
    assert scores["ev2r"] is None
    assert "ids 2 to 15 are missing" in done.stdout


@pytest.fixture
def official(tmp_path):
    """The organizers' repository as if it had been fetched, and an environment for it."""
    folder = tmp_path / "official"
    (folder / "repository").mkdir(parents=True)
    (folder / "repository" / "averitec_evaluate.py").write_text(OFFICIAL)
    (folder / "repository" / "properties.py").write_text(FILE.replace(NOT_TO_RUN, ROWS))
    (folder / "repository" / "openai.py").write_text(CLIENT)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / ".installed").touch()
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {ROOT}/.venv/bin/python "$@"\n')
    python.chmod(0o755)
    return folder


@pytest.fixture
def submission(tmp_path):
    """A submission of two claims, of a run in two labels, and gold that gives one of them another label."""
    write_csv(predictions([result(0), result(1, label=Label.REFUTED)]), tmp_path / "submission.csv")
    gold = (tmp_path / "submission.csv").read_text().replace(",pred", ",gold").replace("Refuted", "Not Enough Evidence")
    (tmp_path / "run.json").write_text('{"settings": {"graph": {"two_labels": true}}}')
    (tmp_path / "gold.csv").write_text(gold)
    return str(tmp_path / "submission.csv"), str(tmp_path / "gold.csv")


@pytest.mark.slow
def test_both_halves_of_both_scorers_run_on_one_judge(checkout, official, submission, wordnet):
    with serving(JudgeServer, bodies=[], silent="nothing") as judge:
        places = {"OFFICIAL_FOLDER": str(official), "JUDGE": f"server:judge@{judge.address}/v1"}
        printed = run(checkout, "official_score.sh", *submission, **places).stdout
    theirs, ours = re.findall(r"Q METEOR [\d.]+, Q\+A METEOR [\d.]+, legacy AVeriTeC @0.25 [\d.]+", printed)
    assert theirs == "Q METEOR 1.000000, Q+A METEOR 1.000000, legacy AVeriTeC @0.25 0.500000"
    assert ours.endswith("@0.25 0.500000") and "wants punkt_tab" in printed
    theirs, ours = re.findall(r"Q Ev2R recall [\d.]+, Q\+A Ev2R recall [\d.]+, AVeriTeC [\d.]+", printed)
    assert theirs == "Q Ev2R recall 2.000000, Q+A Ev2R recall 2.000000, AVeriTeC 0.500000"
    assert ours == "Q Ev2R recall 1.000000, Q+A Ev2R recall 0.500000, AVeriTeC 0.000000"
    assert [body["model"] for body in judge.bodies] == ["judge"] * 6  # four of theirs; ours asks equal comparisons once
