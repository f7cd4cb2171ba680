"""The live page in a real browser: a claim typed and followed to its verdict, with nothing hostile executed."""

from base64 import b64encode

import docx
import pytest

from tests.helpers.bridge import PAGES, Answers
from tests.helpers.browsing import PHONE, By, Keys, Visitor, on_a_phone
from tests.helpers.by_words import reading_engine
from tests.helpers.serving import TOKEN, Gate, engine_of, listening

pytestmark = pytest.mark.slow

CLAIM = "The Aster bridge opened in 1932."
HOSTILE = (
    '<img src=x onerror="document.title=1"></script><script>document.title = "owned"</script> \u202eAster bridge 1932'
)


class Reader(Visitor):
    """Somebody who checks a claim."""

    def order(self, claim=CLAIM, text=PAGES[0][1], name=PAGES[0][0]):
        self.one("[name=claim]").send_keys(claim)
        self.browser.execute_script("arguments[0].value = arguments[1]", self.one("[name=text]"), text)  # keeps marks
        self.one("#documents [name=name]").send_keys(name)
        self.one("[type=submit]").click()

    def status(self):
        return self.browser.find_element(By.ID, "status").text


def test_a_claim_is_followed_to_its_verdict_and_report(browser):
    gate = Gate()
    with listening(engine_of(gate)) as address:
        reader = Reader(browser, address)
        reader.order()
        reader.until(lambda: len(reader.all(".graph .node")) == 1)  # the claim alone
        gate.opened.set()
        browser.refresh()  # the address of the page names the check
        reader.until(lambda: reader.status().startswith("Supported after"))
        kinds = {name for node in reader.all(".graph .node") for name in node.get_attribute("class").split()}
        assert {"kind-claim", "kind-question", "kind-evidence", "kind-answer", "kind-verdict"} <= kinds
        assert reader.one(".verdict").text.startswith("Supported")
        assert PAGES[0][0] in reader.one(".questions").text
        reader.one("#report a").click()
        reader.until(lambda: len(browser.window_handles) == 2)
        browser.switch_to.window(browser.window_handles[1])
        reader.until(lambda: reader.all(".badge"))
        assert reader.one(".claim-text").text == CLAIM
        assert reader.errors() == []
        browser.close()
        browser.switch_to.window(browser.window_handles[0])
        assert reader.errors() == []


def test_shows_hostile_text_and_executes_none(browser):
    with listening(engine_of(Answers())) as address:
        reader = Reader(browser, address)
        reader.order(claim=f"1932: {HOSTILE[:80]}", text=HOSTILE, name=HOSTILE[:60])
        reader.until(lambda: reader.status().startswith("Supported after"))
        reader.one(".kind-evidence").click()
        assert "<img src=x" in reader.one("#thought .quote").text
        assert "‹U+202E›Aster" in reader.one("#thought .quote").text
        assert reader.all("main img, aside img, main script, aside script") == []
        assert browser.title == "Check a claim"
        assert reader.errors() == []


def test_the_page_works_by_keyboard_alone(browser, stores):
    with listening(engine_of(Answers()), stores) as address:
        reader = Reader(browser, address)
        reader.until(lambda: reader.all("#store option"))
        reader.keys(CLAIM, Keys.TAB, Keys.TAB, Keys.TAB, Keys.ARROW_RIGHT)
        assert reader.one("#store select").get_property("value") == "aster"
        reader.keys(Keys.TAB, Keys.TAB, Keys.ENTER)
        reader.until(lambda: reader.status().startswith("Supported after"))
        for _ in range(20):  # the report, the sources, the graph
            reader.keys(Keys.TAB)
            if browser.switch_to.active_element.get_attribute("data-id"):
                break
        reader.keys(Keys.ARROW_DOWN, Keys.ENTER)
        assert reader.one("#thought .tag").text.lower().startswith("question")
        reader.keys(Keys.ESCAPE)
        assert not reader.browser.find_element(By.ID, "thought").is_displayed()
        assert browser.switch_to.active_element.get_attribute("data-id").startswith("q")
        assert reader.errors() == []


def test_a_phone_shows_verdict_and_correction_without_scrolling(browser):
    with on_a_phone(browser), listening(reading_engine()) as address:
        reader = Reader(browser, address)
        reader.order(claim="The Aster bridge opened in 1931.", text=CLAIM)
        reader.until(lambda: reader.status().startswith("Refuted after"))
        assert reader.one(".correction").text == f"Corrected: {CLAIM}"
        place = browser.execute_script(
            "const r = document.querySelector('.reason').getBoundingClientRect(); return [r.top, r.bottom, r.right]"
        )
        assert 0 < place[0] < place[1] < PHONE["height"] and place[2] <= PHONE["width"]
        assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE["width"]
        assert reader.errors() == []


def test_asks_for_the_token_and_saves_the_report_with_it(browser, tmp_path):
    browser.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    with listening(engine_of(Answers()), token=TOKEN) as address:
        reader = Reader(browser, address)
        reader.one("#token input").send_keys(TOKEN)
        reader.order()
        reader.until(lambda: reader.status().startswith("Supported after"))
        reader.one("#report a").click()
        reader.until(lambda: (tmp_path / "report.html").exists())
        assert CLAIM in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_text_fills_and_shows_evidence_on_a_click(browser):
    gate = Gate()
    with listening(engine_of(gate)) as address:
        reader = Reader(browser, f"{address}text")
        reader.one("[name=article]").send_keys(f"{CLAIM} <img src=x> Is it not beautiful? It replaced a ferry.")
        reader.one("[name=text]").send_keys(PAGES[0][1])
        reader.one("[type=submit]").click()
        reader.until(lambda: reader.all("#text") and not reader.all("#text .claim"))
        assert "0 of 2" in reader.status()
        gate.opened.set()
        reader.until(lambda: reader.status() == "2 statements checked")
        assert len(reader.all("#text .claim")) == 2 and reader.all("#text img") == []
        reader.one("#text .claim").click()
        assert reader.one(".note-of.open .verdict").is_displayed()
        browser.refresh()
        reader.until(lambda: len(reader.all("#text .claim")) == 2)
        assert reader.errors() == []


DROP = """const [place, name, bytes] = arguments, dropped = new DataTransfer();
dropped.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
place.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));"""


@pytest.mark.parametrize("way", ["picked", "dropped"])
def test_a_text_may_be_a_file(browser, tmp_path, way):
    page = docx.Document()
    page.add_paragraph(f"{CLAIM} It replaced a ferry.")
    page.save(tmp_path / "a.docx")
    with listening(engine_of(Answers())) as address:
        reader = Reader(browser, f"{address}text")
        if way == "picked":
            picker_of(browser).send_keys(str(tmp_path / "a.docx"))
        else:
            held = b64encode((tmp_path / "a.docx").read_bytes()).decode()
            browser.execute_script(DROP, reader.one("#statement"), "a.docx", held)
        reader.until(lambda: reader.one("#statement").get_attribute("placeholder").startswith("a.docx: a file of"))
        reader.one("[name=text]").send_keys(PAGES[0][1])
        browser.refresh()  # the tab keeps the file
        reader.one("[type=submit]").click()
        reader.until(lambda: reader.status() == "2 statements checked")
        assert reader.one("#text").text.startswith(CLAIM)
        reader.one("#asked summary").click()
        reader.one("#statement").send_keys("A ferry ran.")  # and what is typed takes its place
        assert not picker_of(browser).get_property("value")
        reader.one("[type=submit]").click()
        reader.until(lambda: reader.status() == "1 statement checked")
        assert reader.errors() == []


def picker_of(browser):
    return browser.find_element(By.ID, "article")
