"""The language of a claim or a passage, where it is sure that a model does not read it."""

import logging
from functools import cache, lru_cache
from typing import Any

LIKELY, SURE = 0.25, 25  # least probability of another language, and its ratio to that of the expected one
OPENING = 2000  # characters of a text that tell its language
log = logging.getLogger(__name__)
_NEAR = {"en": ("pcm",)}  # Nigerian Pidgin, which names of Nigeria are taken for


@lru_cache(maxsize=10_000)
def other_language(text: str, expected: str) -> str:
    """Return the ISO 639 code of a text's language if it is surely not the expected one, else an empty string.

    >>> [other_language(text, "en") for text in ("Die Brücke wurde 1931 eröffnet.", "The bridge opened in 1931.")]
    ['de', '']
    """
    if not any(letter.isalpha() for letter in text) or not (identifier := _identifier()):
        return ""
    ranking = dict(identifier.rank(text[:OPENING]))
    likeliest = max(ranking, key=lambda code: ranking[code])
    near = (expected, "zxx", *_NEAR.get(expected, ()))  # zxx: no language at all
    return likeliest if likeliest not in near and ranking[likeliest] >= max(LIKELY, SURE * ranking[expected]) else ""


@cache
def _identifier() -> Any:
    """None where its model, 70 MB, cannot be unpacked into a temporary file: no claim needs it that much."""
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    try:
        return LanguageIdentifier.from_modelpath(MODEL_DIR / MODEL_FILE, norm_probs=True)
    except OSError as error:
        log.warning("cannot tell languages (%s); make room for temporary files, see TMPDIR", error.strerror)
        return None
