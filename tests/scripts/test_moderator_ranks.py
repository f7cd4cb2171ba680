"""The experiment with small moderators: its claims, its debates and its table, without training one."""

from collections import Counter
from pathlib import Path

from scripts.moderator_ranks import RATES, OracleModel, _debates, _reasoned, _row, shortest
from system.gold import read_gold

EXAMPLES = Path(__file__).resolve().parents[2] / "system" / "examples" / "claims.json"


def test_takes_the_shortest_claims_with_several_answers():
    gold = read_gold(EXAMPLES)
    chosen = shortest(gold, 5, answers=2)
    lengths = [sum(len(answer.text) for answer in one.answers) for one in chosen]
    assert lengths == sorted(lengths) and len(chosen) == 5
    assert all(len(one.answers) > 1 for one in chosen)


def test_debates_of_the_oracle_give_a_row_and_samples_with_the_annotators_reasons(tmp_path):
    gold = read_gold(EXAMPLES)
    chosen = shortest(gold, 8, answers=2)
    debates = _debates(OracleModel(gold, RATES), chosen, EXAMPLES, tmp_path)
    again = _debates(None, chosen, EXAMPLES, tmp_path)  # all from the journal
    assert again == debates and len(debates) == 8
    count, *rounds, right = _row(debates, gold)
    ended = Counter(debate.transcript[-1].round for debate in debates)
    assert (count, [float(share) for share in rounds]) == ("8", [round(ended[number] / 8, 2) for number in (1, 2, 3)])
    assert 0 <= float(right) <= 1
    assert all(_reasoned(one, gold).justification == gold[one.claim.id].justification for one in debates)
