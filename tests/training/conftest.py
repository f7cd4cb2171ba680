"""A tiny model, and data sets of the bundled example claims."""

import pytest

from system.averitec.gold import read_gold
from system.graph.records import Label, QuestionAnswer
from system.models.prompting import ChatTokenizer
from system.strategies.steps.tasks import JudgeClaim, VerdictReply
from training.check import EXAMPLES
from training.datasets.leakage import HeldOut
from training.datasets.samples import DataSet, Drops, Making, Sample, write_data_set

WORSE = VerdictReply(justification="No.", label=Label.SUPPORTED)


@pytest.fixture(scope="session")
def chat(tiny_model):
    return ChatTokenizer(str(tiny_model / "base"), 4096)


@pytest.fixture
def write_samples(chat, tmp_path):
    """Write a data set of samples into the test's folder, by default of verdicts on the example claims; return them."""

    def write(name="verdict_prediction", count=16, preferences=False):
        samples = []
        for example in read_gold(EXAMPLES)[:count]:
            answer = example.answers[0]
            pair = QuestionAnswer(question=answer.question, answer=answer.text, answers=())
            task = JudgeClaim(claim=example.claim, pairs=(pair,))
            reply = VerdictReply(justification=f"The answers say so: {answer.text[:40]}", label=example.label)
            rejected = WORSE if preferences else None
            samples.append(Sample(str(example.claim.id), reply.label, task, reply, "verdict", rejected))
        write_data_set(DataSet(name, samples, Drops(), {}), Making(tmp_path, chat, HeldOut(()), {}))
        return samples

    return write


@pytest.fixture
def data(write_samples, tmp_path):
    """A folder with the data set of verdicts."""
    write_samples()
    return tmp_path
