"""How far a judge of evidence (Ev2R) agrees with recorded judgements, and what it costs.

Asks a judge about the evidence of recorded replies: the reference as recorded, and as the prediction the facts that
the recorded judge listed, for the prediction itself was not recorded. Prints which share of the replies can be read,
how their precision and recall correlate with the recorded ones, and processor seconds a claim, of those asked together.

Replies are appended to OUTPUT as they come; the same command resumes.

Usage: python -m scripts.judge_agreement RECORDED OUTPUT --judge transformers:FOLDER
"""

import argparse
import asyncio
import json
import re
import time
from pathlib import Path
from typing import Any

from scipy.stats import pearsonr, spearmanr
from tqdm import tqdm

from submission.ev2r.judging import Comparison
from submission.ev2r.models import load_judge
from submission.ev2r.replies import Judgement, Mode, Unit, UnreadableReply, read_reply
from system.tasks.judging import CompareEvidence, FreePrompt

QUESTION = re.compile(r"Question:\s*(.*?)\s*Answer:\s*(.*?)\s*(?=Question:|\Z)", re.DOTALL)


def main() -> None:
    """Ask what has not been asked yet, then compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path, help="JSON Lines of claim, evidence and response")
    parser.add_argument("output", type=Path, help="JSON Lines of the judge's replies")
    parser.add_argument("--judge", required=True, help="as in 'python -m submission score'")
    parser.add_argument("--official-prompts", type=Path, metavar="FILE", help="the organizers' properties.py")
    parser.add_argument("--claims", type=int, metavar="N", help="the first N (default: all)")
    parser.add_argument("--reply-tokens", type=int, default=1000, metavar="N", help="longest reply (default: 1000)")
    parser.add_argument("--together", type=int, default=1, metavar="N", help="requests at the same time (default: 1)")
    args = parser.parse_args()
    CompareEvidence.max_tokens = FreePrompt.max_tokens = args.reply_tokens

    recorded = [json.loads(line) for line in args.recorded.read_text().splitlines()][: args.claims]
    asyncio.run(ask(recorded, args))
    replies = [json.loads(line) for line in args.output.read_text().splitlines()][: args.claims]
    for mode in Mode:
        report(recorded, replies, mode)
    print(f"{sum(one['seconds'] for one in replies) / len(replies):.1f} processor seconds a claim")


async def ask(recorded: list[dict[str, Any]], args: argparse.Namespace) -> None:
    """Append the replies that OUTPUT lacks."""
    done = len(args.output.read_text().splitlines()) if args.output.exists() else 0
    if done >= len(recorded):
        return  # a judge takes long to load
    judge = load_judge(args.judge, args.official_prompts)
    try:
        progress = tqdm(total=len(recorded), initial=done, unit="claim", desc="judging", disable=None)
        with args.output.open("a") as lines, progress:
            for start in range(done, len(recorded), args.together):
                group = recorded[start : start + args.together]
                began = time.process_time()
                asked = (judge.reply(comparison(number, one), 0) for number, one in enumerate(group, start=start))
                replies = await asyncio.gather(*asked)
                seconds = (time.process_time() - began) / len(group)
                for one, reply in zip(group, replies, strict=True):
                    lines.write(json.dumps({"claim": one["claim"], "reply": reply, "seconds": seconds}) + "\n")
                lines.flush()
                progress.update(len(group))
    finally:
        await judge.close()


def comparison(number: int, one: dict[str, Any]) -> Comparison:
    """What the recorded judge was asked, as far as it is known."""
    facts = facts_of(one["response"]["facts in predicted evidence"])
    return Comparison(
        claim_id=number,
        claim=one["claim"],
        unit=Unit.EVIDENCE,
        predicted=tuple(("What is known?", fact) for fact in facts),
        gold=tuple(QUESTION.findall(one["evidence"])),
    )


def facts_of(text: str) -> list[str]:
    """The facts of "1. … 2. …"; a year that ends a sentence is no number of the list.

    >>> facts_of("1. It opened in 1931. 2. It has 2 lanes.")
    ['It opened in 1931.', 'It has 2 lanes.']
    """
    facts: list[str] = []
    while match := re.match(rf"\s*{len(facts) + 1}[.)]\s+(.*?)(?=\s{len(facts) + 2}[.)]\s|\Z)", text, re.DOTALL):
        facts.append(match[1].strip())
        text = text[match.end() :]
    return facts


def report(recorded: list[dict[str, Any]], replies: list[dict[str, Any]], mode: Mode) -> None:
    """Print the share of replies that can be read, and how they correlate with the recorded ones."""
    judged = [
        (one["response"], read_or_none(reply["reply"], mode)) for one, reply in zip(recorded, replies, strict=True)
    ]
    read = [(theirs, ours) for theirs, ours in judged if ours]
    print(f"{mode}: {len(read)} of {len(replies)} replies read")
    for name in ("precision", "recall"):
        pairs = [(theirs[name], getattr(ours, name)) for theirs, ours in read if theirs[name] is not None]
        print(f"  {name}: {agreement(pairs)}")


def read_or_none(reply: str, mode: Mode) -> Judgement | None:
    """What a reply says; None where it cannot be read."""
    try:
        return read_reply(reply, Unit.EVIDENCE, mode)
    except UnreadableReply:
        return None


def agreement(pairs: list[tuple[float, float]]) -> str:
    """Correlations of recorded with new values, and both means.

    >>> agreement([(0.0, 0.1), (0.5, 0.4), (1.0, 0.7)])
    'Pearson 1.00, Spearman 1.00, means 0.50 recorded and 0.40 here (3)'
    >>> agreement([(0.0, 1.0), (0.5, 1.0)])
    'no correlation: all values here are 1.00'
    """
    theirs, ours = ([pair[side] for pair in pairs] for side in (0, 1))
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return f"no correlation: all values here are {ours[0]:.2f}" if pairs else "no values"
    means = f"means {sum(theirs) / len(pairs):.2f} recorded and {sum(ours) / len(pairs):.2f} here ({len(pairs)})"
    return f"Pearson {pearsonr(theirs, ours)[0]:.2f}, Spearman {spearmanr(theirs, ours)[0]:.2f}, {means}"


if __name__ == "__main__":
    main()
