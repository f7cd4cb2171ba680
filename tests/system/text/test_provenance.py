import pytest

from knowledge_store.pages.page import Passage
from system.graph.records import Answer, ClaimResult, Label, QuestionAnswer, Source, Verdict
from system.text.provenance import faults, name_documents
from tests.helpers import submission_factories
from tests.helpers.bridge import CLAIM

TEXT = "The bridge opened to traffic\nin May 1932. It is closed to lorries."


def answer(url: str, text: str = "In May 1932.", source: Source = Source.EVIDENCE) -> Answer:
    return submission_factories.answer(text, source, Passage(TEXT, url, 0, 0))


def merged(*answers: Answer) -> QuestionAnswer:
    return QuestionAnswer(question="When did it open?", answer="In May 1932.", answers=answers)


PAIRS = (merged(answer("https://www.news.example/a"), answer("", "Opened by Ann Lee.", Source.METADATA)),)


def result(justification: str) -> ClaimResult:
    verdict = Verdict(label=Label.REFUTED, justification=justification, confidence=0.5)
    return submission_factories.result(pairs=PAIRS).model_copy(update={"claim": CLAIM, "verdict": verdict})


def test_lists_every_address_once() -> None:
    urls = [f"https://{name}.example" for name in "abcde"]
    assert merged(*(answer(url) for url in [*urls, urls[0]])).urls == tuple(urls)


@pytest.mark.parametrize(
    "sound",
    [
        "No quotation at all, and the term “closed” is none either.",
        "It is late: “opened to traffic in May 1932” (news.example).",
        'According to news.example it is "Closed to lorries…".',
        "The metadata say “opened by Ann Lee”.",
        f"The claim “{CLAIM.text}” is about a bridge.",
    ],
)
def test_accepts_a_quotation_with_its_document(sound: str) -> None:
    assert faults(result(sound)) == []


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        ("It says “opened in 1931” (news.example).", "quotes 'opened in 1931', which is not in the listed evidence"),
        ("It says “in May 1932”.", "quotes 'in May 1932' without naming its document (news.example)"),
        ("news.example says “opened by Ann Lee”.", "without naming its document (metadata)"),
    ],
)
def test_names_a_quotation_without_evidence_or_document(broken: str, fault: str) -> None:
    [found] = faults(result(broken))
    assert fault in found


def test_puts_the_document_behind_its_quotation() -> None:
    mended = name_documents("“in May 1932” and “opened by Ann Lee”, not “1931”.", CLAIM, PAIRS)
    assert mended == "“in May 1932” (news.example) and “opened by Ann Lee” (metadata), not “1931”."
    assert name_documents(mended, CLAIM, PAIRS) == mended
