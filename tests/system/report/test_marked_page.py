"""The page of a checked text: hostile text stays text, and in a browser everything can be reached by keys."""

import pytest

from system.article.reading import article_of
from system.article.records import CheckedStatement, CheckedText
from system.graph.records import Claim, Label, Verdict
from system.report.article import text_page
from tests.helpers.browsing import Keys, Visitor
from tests.helpers.report_factories import HOSTILE, graph_of, result_of

TEXT = f"Crossing\n\nThe Aster bridge opened in 1931. It carries two lanes {HOSTILE} today.\n\nNobody knows the mayor."
LABELS = (Label.REFUTED, Label.SUPPORTED, Label.NOT_ENOUGH_EVIDENCE)


def checked_text():
    article = article_of(TEXT, "aster.md")
    statements = []
    for sentence, label in zip(article.claims, LABELS, strict=True):
        verdict = Verdict(label=label, justification=f"A document says so: “{HOSTILE}”", confidence=0.8)
        claim = Claim(id=sentence.number, text=sentence.claim)
        result = result_of(claim, graph_of(claim)).model_copy(update={"verdict": verdict})
        statements.append(CheckedStatement(sentence=sentence, result=result))
    return CheckedText.of(article, statements)


def test_nothing_hostile_is_markup_and_only_decisions_are_counted_and_have_a_confidence():
    page = text_page(checked_text())
    assert page.count("<script") == 1 and "onerror=&#34;" in page
    assert '<link rel="icon" href="data:,">' in page and "src=" not in page.replace("src=x", "")
    assert "script-src &#39;sha256-" in page
    assert "<b>2 of 3</b> <span>statements decided: 1 supported, 1 refuted</span>" in page
    assert page.count("80% sure") == 2


def test_a_text_without_statements_says_so():
    page = text_page(CheckedText(article=article_of("Is it old?"), statements=()))
    assert "Nothing in this text claims a fact" in page


@pytest.fixture
def reader(browser, tmp_path):
    """Somebody who has the page open."""
    (tmp_path / "report.html").write_text(text_page(checked_text()), encoding="utf-8")
    return Visitor(browser, (tmp_path / "report.html").as_uri())


@pytest.mark.slow
def test_keys_and_clicks_open_the_evidence(reader):
    def opened():
        return [one.get_attribute("id") for one in reader.all(".note-of") if one.is_displayed()]

    first, second, third = reader.all(".claim")
    assert opened() == []
    second.click()
    assert len(opened()) == 1 and second.get_attribute("aria-expanded") == "true"
    reader.keys("j")
    assert opened() == [third.get_attribute("href").partition("#")[2]]
    reader.keys("r")
    assert opened() == [first.get_attribute("href").partition("#")[2]]
    reader.keys(Keys.ESCAPE)
    assert opened() == []
    first.send_keys(Keys.ENTER)
    assert len(opened()) == 1
    reader.one(".close").click()
    assert opened() == [] and reader.browser.switch_to.active_element == first
    reader.one(".count[data-style=supported]").click()
    assert [one == second for one in reader.all(".claim.shown")] == [True]
    assert reader.errors() == [] and reader.browser.title == "Text check: aster.md"


SPLIT = """const text = document.getElementById("text"), apart = [];
for (let width = 150; width < 600; width += 6) {
  text.style.width = `${width}px`;
  for (const claim of text.querySelectorAll(".claim")) {
    const nodes = document.createTreeWalker(claim, NodeFilter.SHOW_TEXT), end = document.createRange();
    let last;
    while (nodes.nextNode()) if (!nodes.currentNode.parentNode.matches(".unseen, .sign")) last = nodes.currentNode;
    end.setStart(last, last.length - 1);
    end.setEnd(last, last.length);
    const [sign, words] = [claim.querySelector(".sign"), end].map((one) => one.getBoundingClientRect());
    if (sign.top > words.bottom - 2) apart.push(width);
  }
}
return apart;"""


@pytest.mark.slow
def test_no_line_begins_with_the_sign_of_a_verdict(reader):
    assert reader.browser.execute_script(SPLIT) == []
