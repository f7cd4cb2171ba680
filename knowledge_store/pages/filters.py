"""Which pages of a store may be evidence: by default all, as in the shared task.

A newsroom can leave out pages that already judge the claim, or are later than it. Example:
``admitted(pages, date(2020, 10, 31), RetrievalSettings(later_pages=False), Flaws())``.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from urllib.parse import urlsplit

from knowledge_store.normalization import skeleton
from knowledge_store.pages.page import Flaw, Flaws, Page, Passage
from knowledge_store.pages.sentences import language
from knowledge_store.settings import RetrievalSettings
from knowledge_store.tokenization import tokenize

SHINGLE = 3  # words
COPIED = 0.8  # share of the claim's shingles from which a passage repeats the claim

# Sites that do little else than check facts, by the names that their hosts end in.
FACT_CHECKERS = frozenset(
    {
        "africacheck.org", "altnews.in", "boomlive.in", "checkyourfact.com", "chequeado.com", "climatefeedback.org",
        "correctiv.org", "covid19facts.ca", "dubawa.org", "factcheck.afp.com", "factcheck.bg", "factcheck.kz",
        "factcheck.org", "factcheckhub.com", "factcheckni.org", "factcrescendo.com", "factly.in", "factuel.afp.com",
        "faktograf.hr", "fullfact.org", "ghanafact.com", "healthfeedback.org", "leadstories.com", "logically.ai",
        "logicallyfacts.com", "lupa.news", "maldita.es", "mediabiasfactcheck.com", "mimikama.org", "misbar.com",
        "namibiafactcheck.org.na", "newschecker.in", "newsmeter.in", "newtral.es", "pagellapolitica.it",
        "pesacheck.org", "politifact.com", "polygraph.info", "rumorscanner.com", "sciencefeedback.co", "snopes.com",
        "stopfake.org", "teyit.org", "theferret.scot", "truthorfiction.com", "verafiles.org", "verificat.cat",
        "vishvasnews.com", "zimfact.org",
    }
)  # fmt: skip
LABELS = 1 + max(site.count(".") for site in FACT_CHECKERS)  # of a host's name, by which its site can be told
# Sections of other sites: usatoday.com/story/news/factcheck/…, indiatoday.in/fact-check/…, apnews.com/ap-fact-check
FACT_CHECK_PART = re.compile(r"(?<![a-z])(?:fact[-_]?check|faktencheck|fake[-_]news[-_]alert)", re.IGNORECASE)
ADDRESS = re.compile(r"[a-z]+://(?:[^/?#@]*@)?([^/?#:]*)[^/?#]*([^?#]*)", re.IGNORECASE)  # host and path
ARCHIVED = re.compile(r"^https?://(?:web\.)?archive\.org/web/\w+/", re.IGNORECASE)
YEAR = r"((?:19|20)\d\d)"
DATES = (
    re.compile(rf"(?<!\d){YEAR}([/_-])(\d\d?)\2(\d\d?)(?!\d)"),
    re.compile(rf"(?<!\d){YEAR}()(\d\d)(\d\d)(?!\d)"),
    re.compile(rf"/{YEAR}(/)(\d\d?)()/"),  # the month alone
)


def admitted(pages: Iterable[Page], day: date | None, settings: RetrievalSettings, flaws: Flaws) -> Iterator[Page]:
    """Yield the pages that the settings admit, and count the others by the first filter that refused them.

    All are admitted by default. If the day of the claim is unknown, no page is later.
    """
    for page in pages:
        if not settings.fact_checks and is_fact_check(page.url):
            flaws[Flaw.FACT_CHECK] += 1
        elif not settings.later_pages and day and (is_later(page.url, day) or (page.published or day) > day):
            flaws[Flaw.LATER_PAGE] += 1
        elif settings.languages and language(page.text) not in settings.languages:
            flaws[Flaw.OTHER_LANGUAGE] += 1
        else:
            yield page


def without_copies(
    passages: tuple[Passage, ...], claim: str, settings: RetrievalSettings
) -> tuple[tuple[Passage, ...], int]:
    """Leave out the pages of which a passage repeats the claim, if the settings say so; with their number."""
    if settings.claim_copies:
        return passages, 0
    words = tokenize(skeleton(claim))
    copies = {one.page for one in passages if repeats(one.text, words)}
    return tuple(one for one in passages if one.page not in copies), len(copies)


def is_fact_check(url: str) -> bool:
    """Whether an address is of a fact-checking site, or of a fact-checking section of another."""
    address = ADDRESS.match(ARCHIVED.sub("", url))
    host, path = address.groups() if address else ("", url)
    labels = host.lower().removesuffix(".").rsplit(".", LABELS)[-LABELS:]
    sites = {".".join(labels[start:]) for start in range(len(labels))}
    return bool(sites & FACT_CHECKERS or FACT_CHECK_PART.search(host) or FACT_CHECK_PART.search(path))


def page_key(url: str) -> str:
    """An address without what copies of a page differ in: archive, scheme, "www.", port, case, fragment, closing slash.

    >>> page_key("https://web.archive.org/web/20201129141238/http://www.Example.org:80/A/?id=1#top")
    'example.org/a?id=1'
    """
    bare = ARCHIVED.sub("", url.strip()).lower()
    try:
        parts = urlsplit(bare if "://" in bare else f"//{bare}")
        host = parts.hostname or ""
    except ValueError:  # brackets that enclose no IPv6 address
        return bare
    query = f"?{parts.query}" if parts.query else ""
    return host.removeprefix("www.") + parts.path.rstrip("/") + query


def is_later(url: str, day: date) -> bool:
    """Whether an address bears a date after a day; a month without a day counts as its first."""
    return any(found > day for found in _dates(url))


def date_in(url: str) -> date | None:
    """Return the date that an address bears, if it bears one; without a day, the first of the month."""
    return next(_dates(url), None)


def _dates(url: str) -> Iterator[date]:
    for pattern in DATES:
        for year, _, month, number in pattern.findall(ARCHIVED.sub("", url)):
            with suppress(ValueError):  # digits that are no date
                yield date(int(year), int(month), int(number or 1))


def repeats(text: str, words: list[str]) -> bool:
    """Whether a text holds nearly all of the claim's shingles, as an article that checks the claim does."""
    size = min(SHINGLE, len(words))
    wanted = shingles(words, size)
    needed = max(COPIED * len(wanted), 1)
    text = skeleton(text).lower()
    # Splitting a text into words takes long, and hardly any text has all those of the claim.
    if sum(all(word in text for word in shingle if word.isalpha()) for shingle in wanted) < needed:
        return False
    return len(wanted & shingles(tokenize(text), size)) >= needed


def shingles(words: list[str], size: int) -> set[tuple[str, ...]]:
    """All runs of ``size`` words of a text (w-shingling; Broder, 1997)."""
    return set(zip(*(words[start:] for start in range(size)), strict=False))
