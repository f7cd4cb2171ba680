from knowledge_store.pages.page import Page
from scripts.benchmarks.archive import merged


def test_excerpts_of_one_address_become_one_page():
    pages = [Page(0, "a", ("one", "two")), Page(1, "b", ("three",)), Page(2, "a", ("two", "four"))]
    assert [(page.url, page.sentences) for page in merged(pages)] == [("a", ("one", "two", "four")), ("b", ("three",))]
