"""Results to write, made with as little as a test must say."""

from collections.abc import Sequence

from hypothesis import strategies as st

from knowledge_store.pages.page import Passage
from submission.read import Gold, Pair, Pairs
from system.graph.records import (
    Answer,
    AnswerType,
    Claim,
    ClaimResult,
    Cost,
    Failure,
    Label,
    QuestionAnswer,
    Source,
    Timing,
    Verdict,
)
from system.report.claims import Entry, EvidencePair

# Text of all planes, lone surrogates, and what the formats are made of.
HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=5),
        st.sampled_from(["\t\t\n", "\t\t\n\n", "\t\t\r\n", "\t", "\n", "\r", "\0", '"', ",", "NA", "\ud800", "\udc00"]),
    ),
    max_size=12,
).map("".join)


def prediction(claim_id: int, claim: str, label: str, pairs: Sequence[tuple[str, str]] = ()) -> Entry:
    texts = tuple(EvidencePair(question=question, answer=answer) for question, answer in pairs)
    return Entry(claim_id=claim_id, claim=claim, label=label, pairs=texts)


def paired(claim_id: int, predicted: Pairs, gold: Pairs, right: bool = True) -> Pair:
    """A refuted claim with its prediction."""
    found = prediction(claim_id, "c", Label.REFUTED if right else Label.SUPPORTED, predicted)
    return Pair(found, Gold(claim_id=claim_id, claim="c", label=Label.REFUTED, pairs=gold))


def passage(text: str = "The bridge opened in 1932.", url: str = "https://example.org/bridge") -> Passage:
    return Passage(text=text, url=url, page=0, start=0)


def answer(text: str = "In 1932.", source: Source = Source.EVIDENCE, cites: Passage | None = None) -> Answer:
    return Answer(text=text, type=AnswerType.EXTRACTIVE, source=source, passage=cites or passage())


def qa(question: str = "When did the bridge open?", text: str = "In 1932.", *answers: Answer) -> QuestionAnswer:
    return QuestionAnswer(question=question, answer=text, answers=answers or (answer(text),))


def result(
    claim_id: int = 0,
    text: str = "The bridge opened in 1932.",
    label: Label = Label.SUPPORTED,
    pairs: Sequence[QuestionAnswer] | None = None,
    failures: Sequence[str] = (),
    **timing: object,
) -> ClaimResult:
    usual = {"seconds": 1.0, "stages": {"rank": 0.5}, "cost": Cost(), "rounds": 2, "branches": 3, "cut_short": False}
    return ClaimResult(
        claim=Claim.model_validate({"id": claim_id, "text": text}),  # a claim that is read back may be blank
        verdict=Verdict(label=label, justification="A page says so.", confidence=0.75),
        pairs=(qa(),) if pairs is None else tuple(pairs),
        timing=Timing(**usual | timing),
        failures=tuple(Failure(operation=name, message="came to nothing") for name in failures),
    )
