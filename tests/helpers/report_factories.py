"""Runs to report on: claims about a bridge, with a graph that holds every kind of thought."""

import json
from collections.abc import Sequence
from pathlib import Path

from knowledge_store.pages.page import Passage
from submission.report import write_report
from submission.write import write_outputs
from system.graph.graph import Graph
from system.graph.records import (
    NO_ANSWER,
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
from system.graph.thoughts import Argument, Evidence, Pruned, Question, Speaker, Verification
from system.report.timings import RunFacts
from system.strategies.debate.records import Ruling, Skipped
from tests.helpers import annotated

TEXT = "The Aster bridge opened in 1932."
CHUNK = "Work took four years. The Aster bridge was opened to traffic in May 1932. It carries two lanes."
QUOTE = "The Aster bridge was opened to traffic in May 1932."
HISTORY, BLOG = "https://history.example/aster", "https://blog.example/bridges"
DOUBT = "Nobody remembers when the first bridge over the Aster was built, says an old ferryman."
PROMPT = Cost(seconds=0.5, calls=1, tokens_in=812, tokens_cached=300, tokens_out=41)
FACTS = RunFacts(budget_seconds=60.0, run_seconds=90.7, model_load_seconds=12.2, peak_memory_gib=3.5)
HOSTILE = (
    '</script><script>document.title = "owned"</script><img src=x onerror="document.title=1"> '
    "\u2028 \u202eevil\u202c \"'&'"
)
SPOKEN_OF = "What do people say about the bridge?"


def graph_of(claim: Claim, chunk: str = CHUNK, url: str = HISTORY, *, debate: bool = True) -> Graph:
    """Two branches, the second with two rounds, that disagree; a debate decides."""
    graph = Graph(claim)
    history, blog = Passage(chunk, url, 4, 1200), Passage(DOUBT, BLOG, 9, 0)
    first, second, third = (
        graph.add(Question(text=text), [graph.root], "ask", PROMPT)
        for text in ("When did the Aster bridge open?", SPOKEN_OF, "When was the Aster bridge opened?")
    )
    graph.add(Pruned(reason="repeats another question", similarity=0.97), [third, first], "deduplicate")
    merged, verdicts = [], []
    for question, label in ((first, Label.SUPPORTED), (second, Label.NOT_ENOUGH_EVIDENCE)):
        pair = _answered(graph, question, history, blog)
        merged.append(pair)
        verdicts.append(graph.add(_verdict(label), [pair], "judge", PROMPT))
    again = graph.add(Question(text="Is there a plaque?", again=True), [verdicts[1], merged[1]], "ask", PROMPT)
    merged.append(_answered(graph, again, history, blog))
    verdicts[1] = graph.add(_verdict(Label.REFUTED), [merged[2], merged[1]], "judge", PROMPT)
    if debate:
        opening = Argument(speaker=Speaker.AFFIRMATIVE, round=1, text="A history says 1932.", passages=(history,))
        spoken = graph.add(opening, merged, "argue", PROMPT, under=graph.root)
        reply = Argument(speaker=Speaker.NEGATIVE, round=1, text="Nobody remembers.", passages=(blog,))
        answered = graph.add(reply, [*merged, spoken], "argue", PROMPT, under=graph.root)
        ruling = Ruling(
            round=1, insight="A date.", gaps="A plaque.", reason="It is dated.", decision=None, confidence=0.4
        )
        ruled = graph.add(ruling, [spoken, answered], "moderate", PROMPT, under=graph.root)
        graph.add(Skipped(step="debate", reason="there is no time left"), [ruled], "moderate", under=graph.root)
        verdicts.append(graph.add(_verdict(Label.SUPPORTED), [ruled], "moderate", under=graph.root))
    graph.add(_verdict(Label.SUPPORTED), verdicts, "merge verdicts", under=graph.root)
    return graph


def _verdict(label: Label) -> Verdict:
    return Verdict(label=label, justification=f"It seems {label.lower()}.", confidence=0.75)


def _answered(graph, question, history: Passage, blog: Passage):
    said = Answer(text=QUOTE, type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=history)
    unsaid = Answer(text=NO_ANSWER, type=AnswerType.UNANSWERABLE, source=Source.EVIDENCE, passage=blog)
    answers = []
    for passage, answer in ((history, said), (blog, unsaid)):
        found = graph.add(Evidence(passage=passage, score=0.8), [question], "retrieve")
        answers.append(graph.add(answer, [found], "answer", PROMPT))
    graph.add(Verification(entailed=True, reason="It stands there."), answers[:1], "verify", PROMPT)
    merged = QuestionAnswer(question=question.content.text, answer=QUOTE, answers=(said,))
    return graph.add(merged, answers, "merge", PROMPT, under=question)


def result_of(claim: Claim, graph: Graph, *, seconds: float = 6.0, **changes: object) -> ClaimResult:
    """The result that ends in the graph's last verdict, with its merged answers."""
    merged = [thought.content for thought in graph if isinstance(thought.content, QuestionAnswer)]
    verdict = graph.thoughts[-1].content
    timing = Timing(
        seconds=seconds,
        stages={"rank": 0.5, "retrieve": seconds / 2, "answer": seconds / 3, "judge": 0.4},
        cost=Cost.total(thought.cost for thought in graph),
        rounds=2,
        branches=2,
        cut_short=bool(changes.pop("cut_short", False)),
    )
    return ClaimResult(claim=claim, verdict=verdict, pairs=tuple(merged), timing=timing, **changes)


def failed(claim: Claim) -> tuple[ClaimResult, Graph]:
    """A claim whose branches all failed, as the engine records it."""
    graph = Graph(claim)
    unjudged = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification="Not judged.", confidence=0.0)
    graph.add(unjudged, [graph.root], "final verdict")
    message = "expected a verdict of at least one branch, but no branch reached a verdict"
    failure = Failure(operation="final verdict", message=message, unanswered=True)
    pair = QuestionAnswer(question=claim.text, answer="No answer could be found.", answers=())
    result = result_of(claim, graph, failures=(failure,), cut_short=True)
    return result.model_copy(update={"pairs": (pair,)}), graph


def write_run(
    folder: Path, results: Sequence[ClaimResult], graphs: Sequence[Graph] = (), identity: object = None, **setup: object
) -> Path:
    """The output folder of a finished run, with what its journal begins with and its ``run.json`` says besides."""
    write_outputs(results, folder, FACTS)
    (folder / "graphs").mkdir(exist_ok=True)
    for result, graph in zip(results, graphs, strict=False):
        (folder / "graphs" / f"{result.claim.id}.json").write_text(json.dumps(graph.to_json()), encoding="utf-8")
    lines = [json.dumps({"identity": identity or {}}), *(result.model_dump_json() for result in results)]
    (folder / "journal.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    setup = {"claims_file": "", "settings": {"strategy": "got"}, "machine": {"python": "3.11"}, **setup}
    (folder / "run.json").write_text(json.dumps(setup), encoding="utf-8")
    return folder


def gold_item(text: str = TEXT, label: str = Label.SUPPORTED, **changes: object) -> dict[str, object]:
    """An annotated claim whose first answer is on the history's page, whose second nobody could find."""
    found = annotated.answer("In 1932") | {"source_url": f"https://web.archive.org/web/2020/{HISTORY}/"}
    missing = annotated.answer("No answer could be found.", "Unanswerable") | {"source_url": None}
    item = annotated.claim(text, label, *(("When was it opened?", one) for one in (found, missing)))
    return item | {"justification": "A history dates it.", "claim_types": ["Event/Property Claim"], **changes}


def hostile_report(folder: Path) -> Path:
    """The report of a run in which every text is hostile."""
    claim = Claim(id=0, text=HOSTILE, speaker=HOSTILE)
    graph = graph_of(claim, chunk=f"{CHUNK} {HOSTILE}", url="javascript:document.title='owned'")
    item = gold_item(HOSTILE, Label.REFUTED, justification=HOSTILE, claim_types=[HOSTILE])
    run = write_run(folder / "run", [result_of(claim, graph)], [graph])
    return write_report(run, annotated.write(folder / "gold.json", [item]))


def four_claims(folder: Path) -> tuple[Path, Path]:
    """A run of four claims with its gold file: right and debated, wrong, failed and cut short, slow."""
    claims = [
        Claim(id=0, text=TEXT, date="3-5-2021", speaker="Mara Quill"),
        *(Claim(id=i, text=f"Claim {i}.") for i in (1, 2, 3)),
    ]
    graphs = [graph_of(claim, debate=claim.id == 0) for claim in claims]
    results = [result_of(*pair, seconds=5.0 + 30 * n) for n, pair in enumerate(zip(claims, graphs, strict=True))]
    results[2], graphs[2] = failed(claims[2])
    labels = (Label.SUPPORTED, Label.REFUTED, Label.CONFLICTING, Label.SUPPORTED)
    items = [gold_item(claim.text, label) for claim, label in zip(claims, labels, strict=True)]
    return write_run(folder / "run", results, graphs), annotated.write(folder / "gold.json", items)
