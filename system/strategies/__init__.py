"""Strategies: the ways to check a claim.

``STRATEGIES`` is the one list of them: the name that users give, and the module and function that do it. A strategy is
imported when it is first used, so the help of a command imports none. To delete one, delete its folder, its tests and
its line here; to add one, see docs/add_a_strategy.md. ``base`` loads them, and ``steps`` has what several share.
"""

from difflib import get_close_matches

STRATEGIES = {
    "got": "got:got",
    "debatecv": "debate.steps:debatecv",
    "carp": "carp.strategy:carp",
    "ai_debate": "consultancy.strategy:ai_debate",
    "consultancy": "consultancy.strategy:consultancy",
    "entailment": "entailment.strategy:entailment",
    "rag": "rag.strategy:rag",
}


def unknown_strategy(name: str) -> str:
    """Return the error for a strategy that does not exist, with the nearest name that does."""
    close = get_close_matches(name, STRATEGIES, n=1)
    return f"expected one of {', '.join(STRATEGIES)}; got {name!r}{f', did you mean {close[0]}?' if close else ''}"
