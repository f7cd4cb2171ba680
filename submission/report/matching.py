"""Whether a passage is the evidence that an annotator used.

The rule: they are on the same page, or the passage says the same in much the same words. Two addresses are of the same
page when they are equal without archive prefix, scheme, "www.", default port, fragment and closing slash. The words are
much the same when the passage holds at least ``SHARE`` of the distinct long words and numbers of the gold answer, and
these are at least ``WORDS``.
"""

import re
from urllib.parse import urlsplit

ARCHIVE = re.compile(r"^https?://(?:web\.)?archive\.org/web/\d+(?:[a-z]{2}_)?/", re.IGNORECASE)
CONTENT = re.compile(r"\w*\d\w*|\w{4,}")
SHARE = 0.7
WORDS = 5
RULE = (
    "A gold answer counts as found when a passage comes from the same page (addresses compared without archive prefix, "
    f"scheme, “www.”, fragment and closing slash), or holds at least {SHARE:.0%} of the answer’s distinct numbers and "
    f"words of four letters or more, if those are at least {WORDS}."
)


def page_key(url: str) -> str:
    """What is equal for two addresses of one page; empty for no address.

    >>> page_key("https://web.archive.org/web/20201129141238/http://www.Example.org:80/a/?id=1#top")
    'example.org/a?id=1'
    """
    bare = ARCHIVE.sub("", url.strip())
    try:
        parts = urlsplit(bare if "://" in bare else f"//{bare}")
        host = parts.hostname or ""
    except ValueError:  # brackets that enclose no IPv6 address
        return bare
    query = f"?{parts.query}" if parts.query else ""
    return host.removeprefix("www.") + parts.path.rstrip("/") + query


def content_words(text: str) -> frozenset[str]:
    """The distinct numbers and words of four letters or more.

    >>> sorted(content_words("The ferry carried 43 people, the ferry did."))
    ['43', 'carried', 'ferry', 'people']
    """
    return frozenset(CONTENT.findall(text.lower()))


def says_the_same(gold: frozenset[str], passage: frozenset[str]) -> bool:
    """Whether a passage says what the gold answer says, by their ``content_words``."""
    return len(gold) >= WORDS and len(gold & passage) >= SHARE * len(gold)
