"""How much faster the legacy scores are here than the organizers' way: both in one process, on the same claims.

Theirs makes three passes over a claim (questions, questions and answers, and the latter again for the AVeriTeC score),
and NLTK starts from the text for each pair. Loading WordNet is left out on both sides; seconds are the processor's, so
that other programs do not count. Checks that the scores agree.

Usage: python -m scripts.bench_meteor PREDICTIONS GOLD [--claims N]
"""

import argparse
import tempfile
import time
from pathlib import Path

from submission.legacy.resources import local_wordnet, make_meteor
from submission.legacy.scores import legacy_scores
from submission.read import pair, read_predictions, read_scored_gold
from tests.submission.nltk_reference import nltk_wordnet, pair_score, question_score


def main() -> None:
    """Print seconds a claim on both sides, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--claims", type=int, default=150, metavar="N", help="how many claims (default: 150)")
    args = parser.parse_args()
    folder = local_wordnet()
    if not isinstance(folder, Path):
        parser.error("needs WordNet as plain files: apt install wordnet-base wordnet-sense-index")
    pairs = pair(read_predictions(args.predictions), read_scored_gold(args.gold)).pairs[: args.claims]

    with tempfile.TemporaryDirectory() as scratch:
        reader = nltk_wordnet(folder, Path(scratch) / "wordnet")
        began = time.process_time()
        theirs = []
        for one in pairs:
            sides = (one.predicted.pairs, one.gold.pairs, reader)
            pair_score(*sides)  # the third pass, for the AVeriTeC score
            theirs.append((question_score(*sides), pair_score(*sides)))
        their_seconds = time.process_time() - began
    meteor, sources = make_meteor(folder, punkt=False)
    began = time.process_time()
    ours = legacy_scores(pairs, meteor, sources).claims
    our_seconds = time.process_time() - began

    assert theirs == [(claim.questions.score, claim.questions_and_answers.score) for claim in ours]
    print(f"theirs {their_seconds / len(pairs):.4f} s a claim, ours {our_seconds / len(pairs):.4f} s")
    print(f"{their_seconds / our_seconds:.1f} times faster on {len(pairs)} claims; the scores are the same")


if __name__ == "__main__":
    main()
