"""A correction says what one sentence of evidence says, and there is none if anything is unsure."""

import re

import numpy as np
import pytest

from system.correction.correcting import correction_of, with_correction
from system.graph.records import Claim, Label
from system.reader.loading import load_reader
from tests.helpers.bridge import passage
from tests.helpers.submission_factories import answer, qa, result

BRIDGE = "The Aster bridge was opened to traffic in May 1932 by Mara Quill. It has 412 rivets and is closed to lorries."


class Agrees:
    """A reader that refutes one statement and supports all others; remembers what it was asked."""

    language = ""
    thresholds = (0.7, 0.7)

    def __init__(self, claim, supported=0.95):
        self.claim, self.supported, self.asked = claim, supported, []

    def probabilities(self, pairs):
        self.asked += pairs
        return np.array([[0.1, 0.8, 0.1] if said == self.claim else [self.supported, 0.1, 0.0] for _, said in pairs])


def refuted(claim, *texts, label=Label.REFUTED):
    answers = (answer(text, cites=passage(text, page=page)) for page, text in enumerate(texts))
    return result(text=claim, label=label, pairs=[qa("?", "-", *answers)])


def corrected(claim, *texts, label=Label.REFUTED):
    return correction_of(refuted(claim, *texts, label=label), Agrees(claim))


@pytest.mark.parametrize(
    ("claim", "text", "better"),
    [
        ("The Aster bridge opened in 1931.", BRIDGE, "The Aster bridge opened in 1932."),
        ("In 1931, the Aster bridge opened.", BRIDGE, "In 1932, the Aster bridge opened."),
        ("The Aster bridge was opened in June 1932.", BRIDGE, "The Aster bridge was opened in May 1932."),
        ("The Aster bridge was opened by Jon Hale.", BRIDGE, "The Aster bridge was opened by Mara Quill."),
        ("The Aster bridge has 300 rivets.", BRIDGE, "The Aster bridge has 412 rivets."),
        ("The toll is 4.80 marks.", "The toll is 4,50 marks.", "The toll is 4,50 marks."),
        ("The dam has **84** turbines.", "The dam has 48 turbines.", "The dam has 48 turbines."),
    ],
)
def test_the_source_takes_the_place_of_what_is_wrong(claim, text, better):
    claim = Claim(claim).text
    found = corrected(claim, text)
    assert found.text == better == claim.replace(found.said, found.instead) and found.quotation in text
    assert f"“{found.quotation}”" in with_correction(refuted(claim, text), Agrees(claim)).verdict.justification


@pytest.mark.parametrize(
    ("claim", "texts"),
    [
        ("The Aster bridge was not opened to traffic.", [BRIDGE]),  # it is denied as a whole
        ("The Aster bridge opened in 1931.", [BRIDGE, "The Aster bridge opened in 1933."]),  # sources disagree
        ("Jon Hale opened it in 1931.", [BRIDGE]),  # two things differ
        ("The bridge opened in 1931, and the tower in 1931.", ["The bridge opened in 1932."]),  # which of the two?
        ("The Aster bridge opened in 1931.", ["Nothing is known of it."]),
    ],
)
def test_what_is_not_sure_is_not_corrected(claim, texts):
    assert corrected(claim, *texts) is None


@pytest.mark.parametrize(
    ("claims", "text"),
    [
        ("The Aster bridge closed in [1931|1990].", "The Aster bridge opened in 1932 and closed in 1990."),
        ("The Aster bridge opened in [1931|1932].", "In 1932, the mayor opened the Aster bridge."),
        ("[Mara Quill|Jon Hale] designed the Aster bridge.", "Jon Hale designed the Aster bridge."),
        ("The mayor of Corvane resigned in [2019|2021].", "The mayor of Corvane, elected in 2017, resigned in 2021."),
        ("The Aster bridge has [300|412] rivets.", "The Aster bridge opened in 1932. It has 412 rivets."),
        ("The parliament rejected the law in [2020|2021].", "The law was rejected by the parliament in 2021."),
        # What belongs to another verb, subject or mood corrects nothing.
        ("The bridge closed in 1990.", "The old bridge over the Aster, opened in 1932, is closed to lorries."),
        ("The tower opened in 1931.", "The bridge opened in 1932, and the tower was restored."),
        ("The Aster bridge opened in 1931.", "The Aster bridge will open in 2032."),
        ("Brevik bought Halvers Dairy in 2019.", "Brevik was bought in 2021, after Halvers Dairy had failed."),
        ("Exports of Ostrane fell by 3%.", "Imports of Ostrane fell by 5% while exports held."),
        ("The Aster bridge closed in March 1990.", "The Aster bridge, which opened in May 1990, is closed to lorries."),
        ("The mayor of Corvane resigned in 2019.", "The mayor of Corvane was elected in 2021 and has not resigned."),
        ("Mara Quill was born in 1950.", "Mara Quill, born in Corvane, died in 1971."),
    ],
)
def test_the_bundled_reader_corrects_what_belongs_to_the_same(claims, text):
    claim, better = (re.sub(r"\[(.*)\|(.*)\]", kept, claims) for kept in (r"\1", r"\2"))
    found = correction_of(refuted(claim, text), load_reader())
    assert (found.text if found else claim) == better


@pytest.mark.parametrize(
    ("said", "source", "better"),
    [
        ("on 3 May 2019", "on 5 June 2019", "on 5 June 2019"),
        ("on May 3, 2019", "on 5 June 2019", "on 5 June 2019"),
        ("on 3 May", "on June 5th", "on 5 June"),
        ("in May 2019", "on 5 June 2019", "in June 2019"),
        ("on 3 May 2019", "in June 2019", ""),
    ],
)
def test_a_day_gives_way_as_a_whole(said, source, better):
    found = corrected(f"The mayor was elected {said}.", f"The mayor was elected {source}.")
    assert (found.text if found else "") == (better and f"The mayor was elected {better}.")


def test_a_fault_of_correcting_leaves_the_verdict():
    class Broken:
        def probabilities(self, pairs):
            raise ValueError("no room")

    result = refuted("The Aster bridge opened in 1931.", BRIDGE)
    found = with_correction(result, Broken())
    assert found.verdict == result.verdict and found.correction is None
    assert [(one.operation, one.unanswered) for one in found.failures] == [("correct", False)]


def test_only_a_refuted_claim_is_corrected():
    assert corrected("The Aster bridge opened in 1931.", BRIDGE, label=Label.CONFLICTING) is None


def test_the_reader_must_be_sure_and_reads_the_context():
    claim = "It opened in 1931."
    reader = Agrees(f"[The Aster bridge is old.] {claim}", supported=0.5)
    checked = refuted(claim, "The Aster bridge opened in 1932.")
    checked = checked.model_copy(update={"claim": Claim(claim, context="The Aster bridge is old.")})
    assert correction_of(checked, reader) is None
    assert ("The Aster bridge opened in 1932.", "[The Aster bridge is old.] It opened in 1932.") in reader.asked
    reader.supported = 0.95
    assert correction_of(checked, reader).text == "It opened in 1932."
