"""Check the statements of a text, several at a time, against one collection that is read and counted once."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing

from knowledge_store.pages.page import Page
from system.article.records import Article, CheckedStatement
from system.checker import Checker
from system.collection import PageCollection
from system.graph.records import Claim

LARGE = 500  # characters of a page from which it is a part of the text, and no quotation of it


async def check_article(
    checker: Checker,
    article: Article,
    collection: PageCollection,
    *,
    date: str = "",
    speaker: str = "",
    done: Iterable[CheckedStatement] = (),
) -> AsyncGenerator[CheckedStatement, None]:
    """Check the statements of a text, and yield each as it is done; first those of an earlier check.

    A page that is the text itself proves nothing and is left out. Closing the iterator cancels the rest.

    Args:
        date: of the text, as in ``Claim``, and ``speaker``.
        done: what an earlier check of this text has finished.

    Raises:
        DocumentsError: there is no text to search.
    """
    checker = checker.for_statements()
    known = {(one.sentence.number, one.sentence.text): one for one in done}
    left = {one.number: one for one in article.claims if (one.number, one.text) not in known}
    for one in article.claims:
        if one.number not in left:
            yield known[one.number, one.text]
    origin = Claim("a statement", date=date, speaker=speaker)
    own = _bare(article.text)
    others = collection.only(lambda page: not _is_part(page, own))
    claims = [one.as_claim(origin, number) for number, one in left.items()]
    async with aclosing(checker.check_many(claims, others)) as checks:
        async for checked in checks:
            yield CheckedStatement(sentence=left[checked.claim.id], result=checked.result)


def _is_part(page: Page, own: str) -> bool:
    """Whether a page is a copy of the text, or of a large part of it."""
    text = _bare(page.text)
    return text == own or (len(text) >= LARGE and text in own)


def _bare(text: str) -> str:
    """A text without case and whitespace, of which cutting it into sentences may add some."""
    return "".join(text.casefold().split())
