"""The pairs of an epoch: rows of public sets, put into windows, with edited twins beside them.

``mixture`` takes from each set as many rows as ``sets.toml`` says.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from tqdm import tqdm

from training import TrainingError
from training.reader.edits import names_in, twins
from training.reader.invented import invented
from training.reader.pairs import NOT_ENOUGH, REFUTED, SETS, Pair, held_out, read_pairs, sentences_of

INVENTED = 9000  # passages of an epoch, with three statements each

_PAGES = ("fever_eraser", "te_new_protocols", "feverous_sent", "wikifactcheck_edits", "semiauto_nli_wiki", "fm2")
_SUBJECT = re.compile(
    r"((?:The )?[A-Z][\w’'.-]+(?: (?:of |the |de |and )?[A-Z(][\w’'.)-]+)*) "
    r"(?=(?:is|was|were|has|had|are|did|[a-z]+s|[a-z]+ed) )"
)
_COPULA = re.compile(r"\s*(?:is|are|was|were|only)\b")  # such statements often contradict each other
_SHORT = 55  # words of evidence that other sentences may be put around


def mixture(sets: Path, seed: int, times: float = 1) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of one epoch in random order, and the pairs that are held out.

    Args:
        sets: folder of JSON Lines files; those that ``sets.toml`` names and the folder lacks are skipped.
        times: how many times the rows of ``sets.toml`` and ``INVENTED`` to take, of sets that have so many rows.

    Raises:
        TrainingError: the folder has none of the sets, or a row cannot be read.
    """
    rng = Random(seed)
    files = {name: sets / f"{name}.jsonl" for name in SETS if (sets / f"{name}.jsonl").exists()}
    if not files:
        raise TrainingError(f"{sets}: expected files such as mnli.jsonl, found none of {len(SETS)} known sets")
    read = {name: read_pairs(file) for name, file in tqdm(files.items(), unit="set", desc="reading")}
    strangers = _sentence_pool(read, rng)
    names = sorted({name for text in strangers for name in names_in(text)} | {"Halden", "Karin Dahl", "Tromvik"})
    about = _by_subject(pair.statement for name in _PAGES for pair in read.get(name, ()))
    train, apart = list[Pair](), list[Pair]()
    for name, pairs in tqdm(read.items(), unit="set", desc="windows"):
        pairs = [pair for pair in pairs if not (name == "semiauto_nli_wiki" and pair.label == REFUTED)]
        for pair in rng.sample(pairs, min(round(times * SETS[name]["rows"]), len(pairs))):
            for one in [pair, *twins(pair, names, rng), *_behind_context(pair, about, rng), *_unsaid(pair, about, rng)]:
                kept = apart if held_out(pair.evidence) else train
                kept.append(_windowed(one, pairs, strangers, rng))
    for _ in tqdm(range(round(times * INVENTED)), unit="passage", desc="inventing"):
        train += [_windowed(one, [one], strangers, rng) for one in invented(rng)]
    rng.shuffle(train)
    return train, apart


def _sentence_pool(read: dict[str, list[Pair]], rng: Random) -> list[str]:
    """Sentences of encyclopedia pages, to be put around evidence."""
    pages = [read.get(name, []) for name in _PAGES]
    chosen = [pair for pairs in pages for pair in rng.sample(pairs, min(1500, len(pairs)))]
    return [one for pair in chosen for one in sentences_of(pair.evidence) if 5 <= len(one.split()) <= 30] or ["Rain."]


def _by_subject(statements: Iterable[str]) -> dict[str, list[str]]:
    """Statements by the name that they begin with; names with one statement are left out."""
    found: dict[str, list[str]] = {}
    for statement in statements:
        if (match := _SUBJECT.match(statement)) and names_in(f"{match[1]} {match[1]}") and len(statement) < 150:
            found.setdefault(match[1], []).append(statement)
    return {name: same for name, same in found.items() if len(set(same)) > 1}


def _behind_context(pair: Pair, about: dict[str, list[str]], rng: Random) -> Iterator[Pair]:
    """The statement with a pronoun for its subject, behind another statement of the subject, which is not judged; or
    behind one of another subject, which leaves it open."""
    match = _SUBJECT.match(pair.statement)
    others = [one for one in about.get(match[1], ()) if one != pair.statement] if match else []
    if not match or not others or rng.random() > 0.4:
        return
    word = next((one for one in ("He", "She", "They") if f" {one.lower()} " in pair.evidence.lower()), "It")
    said = f"{word} {pair.statement[match.end(1) :].lstrip()}"
    if rng.random() < 0.7:
        yield replace(pair, statement=f"[{rng.choice(others)}] {said}")
    elif (name := rng.choice(list(about))) not in pair.evidence:
        yield replace(pair, statement=f"[{rng.choice(about[name])}] {said}", label=NOT_ENOUGH, two_way=False)


def _unsaid(pair: Pair, about: dict[str, list[str]], rng: Random) -> Iterator[Pair]:
    """Another statement of the subject, of which the evidence has no word: not enough."""
    match = _SUBJECT.match(pair.statement)
    subject = match[1] if match else ""
    same = about.get(subject, [])
    for other in rng.sample(same, min(3, len(same))):
        said = other[len(subject) :].lower()
        words = re.findall(r"[a-z\d]{4,}", said)
        if not (_COPULA.match(said) or any(word in pair.evidence.lower() for word in words)):
            yield replace(pair, statement=other, label=NOT_ENOUGH, two_way=False)
            return


def _windowed(pair: Pair, others: Sequence[Pair], strangers: Sequence[str], rng: Random) -> Pair:
    """Vary what stands around the evidence, which changes no label; or take the evidence away (not enough)."""
    evidence, statement = pair.evidence, pair.statement
    if pair.label != NOT_ENOUGH and rng.random() < 0.05:
        other = rng.choice(others).evidence
        if other != evidence:
            return replace(pair, evidence=other, label=NOT_ENOUGH, two_way=False)
    if len(evidence.split()) < _SHORT and rng.random() < 0.5:
        near = [rng.choice(strangers) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
        if rng.random() < 0.4:
            near = [rng.choice(sentences_of(rng.choice(others).evidence) or list(strangers)) for _ in near[:2]]
        at = rng.randint(0, len(near))
        stop = "" if evidence.endswith((".", "!", "?", "”", '"', ";")) else "."
        evidence = " ".join([*near[:at], evidence + stop, *near[at:]])
    if rng.random() < 0.06:
        statement = f"[{rng.choice(strangers)}] {statement}"  # context that this statement does not need
    return replace(pair, evidence=evidence, statement=statement)
