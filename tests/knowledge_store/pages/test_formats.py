# ruff: noqa: E501 - tables of markup
"""Files of each format as blocks: nothing that a reader sees is lost without a warning."""

import pytest

from knowledge_store.pages import pdf as pdfs
from knowledge_store.pages.formats import decoded, html_of, parts_of, suffix_of
from knowledge_store.pages.page import UnreadableFile
from tests.helpers.documents import NAMESPACES, docx, note, paragraph, pdf, run

BOX = f"<w:txbxContent>{paragraph('in a box')}</w:txbxContent>"
DRAWN = (
    "<w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx>"
    f"{BOX}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing>"
)
FALLBACK = f"<w:pict><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:pict>"
FIELD = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
    f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("57")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
CHART = "<w:r><c:chart xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart'/></w:r>"
MERGED = '<w:tcPr><w:vMerge w:val="{}"/></w:tcPr>'
WIDE_CELL = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
HEADER = "<w:hdr xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:p><w:r><w:t>Draft</w:t></w:r></w:p></w:hdr>"


def blocks(data, suffix):
    return [block.strip() for _, found in parts_of(data, suffix, f"a{suffix}") for block in found]


def row(*cells):
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


@pytest.mark.parametrize(
    ("body", "expected", "warning"),
    [
        (paragraph(f'{run("A budget of ")}<w:ins>{run("57")}</w:ins><w:del><w:r><w:delText>42</w:delText></w:r></w:del>'
                   + run(" million.")), ["A budget of 57 million."], ""),
        (f"<w:sdt><w:sdtContent>{paragraph('A block.')}</w:sdtContent></w:sdt>", ["A block."], ""),
        (paragraph(f"<w:moveFrom>{run('Here.')}</w:moveFrom>") + paragraph(f"<w:moveTo>{run('Here.')}</w:moveTo>"),
         ["Here."], ""),
        (paragraph(f'{run("In ")}<w:fldSimple w:instr="DATE">{run("1932")}</w:fldSimple>{run(".")}'), ["In 1932."], ""),
        (paragraph(run("Page ") + FIELD + run(".")), ["Page 57."], ""),
        (paragraph(f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'>{DRAWN}</mc:Choice><mc:Fallback>{FALLBACK}"
                   "</mc:Fallback></mc:AlternateContent></w:r>"), ["in a box"], ""),
        (paragraph(f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'>{DRAWN}</mc:Choice></mc:AlternateContent>"
                   "</w:r>"), ["in a box"], ""),
        (paragraph(f"<w:r>{FALLBACK}</w:r>"), ["in a box"], ""),
        (paragraph(f'<w:hyperlink r:id="r1">{run("the lanes")}</w:hyperlink>{run(" were two.")}'), ["the lanes were two."], ""),
        (f'<w:tbl>{row(paragraph("year"), paragraph("value"))}{row(paragraph("2020"), paragraph("12%"))}</w:tbl>',
         ["year: 2020, value: 12%"], ""),
        (f'<w:tbl>{row(paragraph("year"), paragraph("town"), paragraph("value"))}'
         f'{row(MERGED.format("restart") + paragraph("2020"), paragraph("Oslo"), paragraph("12%"))}'
         f'{row(MERGED.format("continue") + paragraph(" "), paragraph("Bergen"), paragraph("9%"))}</w:tbl>',
         ["year: 2020, town: Oslo, value: 12%", "year: 2020, town: Bergen, value: 9%"], ""),
        (paragraph(f'{run("Open ")}<w:r><w:rPr><w:vanish/></w:rPr><w:t>not </w:t></w:r><w:r><w:rPr><w:dstrike/></w:rPr><w:t>80</w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>90</w:t></w:r>'
                   + run("70 days.")), ["Open 70 days."], "left out 1 struck-out part"),
        (f'<w:tbl>{row(paragraph("town"), WIDE_CELL + paragraph("in 2020"))}{row(*map(paragraph, ("", "Q1", "Q2")))}'
         f'{row(*map(paragraph, ("Oslo", "9", "8")))}</w:tbl>', ["town: Oslo, in 2020 Q1: 9, in 2020 Q2: 8"], ""),
        (paragraph(f'{run("It rained.")}<w:r><w:footnoteReference w:id="2"/></w:r>'), ["It rained."], "lacks 1 footnote"),
        (paragraph(f'<w:hyperlink r:id="r9">{run("Lanes")}</w:hyperlink>')
         + f'<w:tbl>{row(paragraph("year"), paragraph("value"))}{row(paragraph("2020"), paragraph("12%"))}</w:tbl>',
         ["Lanes", "year: 2020, value: 12%"], "lacks the targets of 1 reference"),
        (paragraph(run("It rained.") + CHART), ["It rained."], "left out 1 chart"),
        (paragraph(run("It rained.")) + '<w:altChunk r:id="r1"/>', ["It rained."], "left out 1 embedded document"),
        (paragraph(f'{run("It rained.")}<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>'), ["It rained."], "left out 1 equation"),
    ],
    ids=["tracked", "control", "moved", "simple field", "field", "box", "drawn box", "old box", "link",
         "table", "merged", "hidden and struck", "two headers", "lost footnote", "lost link", "chart", "embedded", "equation"],
)  # fmt: skip
def test_a_docx_has_what_word_shows(body, expected, warning, caplog):
    assert blocks(docx(body, {"r1": "https://a.example/lanes"}), ".docx") == expected
    assert warning in caplog.text and bool(caplog.messages) == bool(warning)


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_notes_and_links_of_a_docx_are_kept(kind, caplog):
    mark = f'{run("It opened in 1932.")}<w:r><w:{kind}Reference w:id="2"/></w:r>'
    link = f'<w:hyperlink r:id="r1">{run("Two lanes.")}</w:hyperlink>'
    parts = {"header1": HEADER, "comments": "<w:comment w:id='1'/>", "styles": "<torn"}
    parts[f"{kind}s"] = note(kind, "Annals, p. 12.")
    data = docx(paragraph(mark) + paragraph(link), {"r1": "https://a.example/"}, **parts)
    assert blocks(data, ".docx") == ["It opened in 1932.", "Two lanes.", "Annals, p. 12."]
    text = html_of(data, ".docx", "a") or ""
    assert 'href="https://a.example/"' in text and f'href="#{kind}-2"' in text
    assert caplog.messages[:3] == [
        "a.docx: its styles and lists are damaged (unclosed token: line 1, column 0); read without them",
        "a.docx: left out headers and footers of its pages", "a.docx: left out 1 comment",
    ]  # fmt: skip


def test_headings_and_links_of_a_docx_need_no_english_names():
    styles = f'<w:styles {NAMESPACES}><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    heading = paragraph(f'<w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>{run("Lanes")}')
    field = FIELD.replace("PAGE", 'HYPERLINK "https://a.example/"')
    text = html_of(docx(heading + paragraph(field), styles=styles), ".docx", "a") or ""
    assert "<h1>Lanes</h1>" in text and '<a href="https://a.example/">57</a>' in text


def test_a_damaged_docx_is_read_as_far_as_it_goes(caplog):
    torn = docx(paragraph("It rained."), footnotes="<w:footnotes")
    assert blocks(torn, ".docx") == ["It rained."] and "left out its damaged footnotes" in caplog.text
    for data in (b"PK", b"no Word document", docx("<w:p>").replace(b"PK\5\6", b"PK\0\0")):
        with pytest.raises(UnreadableFile, match="expected a Word document"):
            blocks(data, ".docx")


SENTENCE = "The Aster lock was deepened to 4.2 metres in 1961, after three years of work on its gates."
LONG = f"<p>{SENTENCE}</p><p>The keeper of the lock lives beside it in a house of stone, which the town owns.</p>"


@pytest.mark.parametrize(
    ("page", "expected", "absent"),
    [
        (f"<table><tr><td>{LONG}</td></tr></table>", [SENTENCE], []),
        (f"<p>It was built by <i>Halvers</i>, who built the <b>mill</b>, in 1961.{LONG}", ["It was built by Halvers, who built the mill, in 1961."], []),
        (f"{LONG}<table><tr><th>Day</th><th>Open</th></tr><tr><td>Thu</td><td><ul><li>12 PM</li><li>9 PM</li></ul></td></tr></table>",
         ["Day: Thu, Open: 12 PM, 9 PM"], []),
        (f"{LONG}<table><tr><th>Mon</th><td>10 AM<br>8 PM</td></tr><tr><th>Tue</th><td>closed</td></tr></table>",
         ["Mon: 10 AM, 8 PM", "Tue: closed"], []),
        (f"{LONG}<table><thead><tr><th>year<th>town<th>people<tbody><tr><td rowspan=2>2020<td>Oslo<td>9<tr><td>Ås<td>1</table>",
         ["year: 2020, town: Oslo, people: 9", "year: 2020, town: Ås, people: 1"], []),
        (f"{LONG}<ul><li><span>A lost key is 350 marks.</span></li><li><a href='/b'>Bicycles</a> stay in the yard.</li></ul>{LONG}",
         ["A lost key is 350 marks.", "Bicycles stay in the yard."], []),
        (f"<main>{LONG}<ul><li><a href='/a'>Report on the lock</a></li></ul></main>", ["Report on the lock"], []),
        (f"<ul class=x><li><a href='/'>Home</a></li><li><a href='/n'>News</a></li></ul><div>{LONG}</div><nav>All</nav>"
         "<div id=CookieBanner>We use cookies. <button>Accept</button></div><div role=dialog>Subscribe!</div>"
         "<p style='display: none'>Unseen.</p><footer>Imprint</footer>", [SENTENCE],
         ["Home", "News", "All", "We use cookies.", "Subscribe!", "Unseen.", "Imprint"]),
        (f"{LONG}<p>It is <s>90</s><del>80</del> 70 × 10<sup>12</sup> km.<dl><dt>Boats</dt><dd>11</dd><dd>12</dd><dt>Cause</dt></dl>",
         ["It is 70 × 10¹² km.", "Boats: 11", "Boats: 12", "Cause"], []),
        (f"{LONG}<table><tr><th>town<th colspan=2>people<tr><th><th>2020<th>2021<tr><td>Oslo<td>9<td>8<tfoot><tr><td colspan=3>By us</table>",
         ["town: Oslo, people 2020: 9, people 2021: 8", "By us"], []),
        (f"{LONG}<table><tr><th>town<th colspan=2>people<tr><td>Oslo<td>9<td>8<tr><td>Ås<td>1<td>2</table>",
         ["town: Oslo, people: 9, people: 8", "town: Ås, people: 1, people: 2"], []),
        (f"{LONG}<table><tr><th colspan=2>The dam<tr><th>Height<td>48 m<tr><th>Built<td>1953</table>",
         ["The dam", "Height: 48 m", "Built: 1953"], []),
        (f"{LONG}<table><tr><th colspan=2>Grendel<tr><th>Country<td>Norland<tr><th>Area<td>31 km2</table>", ["Grendel", "Country: Norland", "Area: 31 km2"], []),
        (f"{LONG}<table><tr><td><th>2022<th>Q1 2023<tr><th>Ås<td>9<td>1980<tr><td colspan=3>Source: register.</table>", ["Ås, 2022: 9, Q1 2023: 1980", "Source: register."], []),
        (f"{LONG}<table><tr><td>Ward<td>Beds 2023<td>Beds 2024<tr><td>Surgery<td>64<td>58</table>", ["Ward: Surgery, Beds 2023: 64, Beds 2024: 58"], []),
        (f"{LONG}<table><tr><td>Item<td>Q1<td>Q2<tr><td>Rent<td>64<td>58</table>", ["Item: Rent, Q1: 64, Q2: 58"], []),
        (f"{LONG}<table><tr><td>Ås<td>1902<td>B2<tr><td>Oslo<td>1950<td>B3<tr><td colspan=3>Source: us.</table>", ["Ås, 1902, B2", "Oslo, 1950, B3", "Source: us."], []),
        (f"{LONG}<table><tr><td>Founded<td>May 1902<tr><td>Staff<td>31</table>", ["Founded: May 1902", "Staff: 31"], []),
        (f"{LONG}<p>It has <span style='text-decoration: line-through'>90</span> 80 <ruby>bo<rt>x</rt></ruby>ats, Ada Lund<wbr>gren says.</p>",
         ["It has 80 boats, Ada Lundgren says."], []),
        ("<script>no</script><p>Two\n<b>more</b></p><p>words", ["Two more", "words"], ["no"]),
        (f"<p>{SENTENCE}</p><p>It closed.</p><ul><li>Boats: 9</li></ul>", [SENTENCE, "It closed.", "Boats: 9"], []),
        (f"<div><blockquote><p>{SENTENCE}</p></blockquote></div><div><p>It closed.</p></div>", [SENTENCE, "It closed."], []),
        (f"<table><tr><td><a href=/>Home</a></td><td><h1>Lock</h1><p>{SENTENCE}</p></td></table>", ["Lock", SENTENCE], ["Home"]),
        ("<table><tr><td><table><tr><th>year<th>boats<tr><td>2019<td>5<tr><td>2020<td>9</table></table>",
         ["year: 2019, boats: 5", "year: 2020, boats: 9"], []),
        (f"{LONG}<table><tr><th>ship<th>crew<tr><td>Emma<table><tr><th>Engine<td>Halvers</table><td>9</table>",
         ["ship: Emma, Engine: Halvers, crew: 9"], []),
        (f"{LONG}<pre>Town    People\nOslo    9</pre><p style='visibility:hidden'>Unseen.</p>", ["Town People", "Oslo 9"], ["Unseen."]),
        (f"<article class=cookie-recipes><p>{SENTENCE}</p><aside>It cost 9 crowns.</aside></article>", [SENTENCE, "It cost 9 crowns."], []),
        (f"{LONG}<p>It has 9 boats.<sup>3</sup> <b>It leaks.</b><sup>[4]</sup> Each is 5 m<sup>2</sup>.[12]</p>",
         ["It has 9 boats. It leaks. Each is 5 m²."], []),
        ("<!-- nothing -->", [], []),
        ("<h1>Visit</h1><p>Die Ver&shy;waltung<sup><a href='#n1'>[1]</a></sup> spricht.</p>", ["Visit", "Die Verwaltung spricht."], []),
        ("<p>The harbour office<br>The office is open on Mondays, and on other days<br>by appointment.</p>",
         ["The harbour office", "The office is open on Mondays, and on other days\nby appointment."], []),
    ],
    ids=["layout", "inline", "list in a cell", "row names", "rowspan", "spans and links", "links of an article", "menus",
         "struck and raised", "two headers", "a wide name", "a title", "a short fact box", "corner", "names with years", "quarters", "years in data", "a date", "unseen", "short", "one long paragraph", "a quotation", "a menu in a layout", "a table around a table", "a table in a cell", "lines", "a fact box", "notes", "nothing", "marks", "line breaks"],
)  # fmt: skip
def test_html_keeps_the_article_whole(page, expected, absent):
    found = blocks(f"<html><head><title>t</title></head><body>{page}</body></html>".encode(), ".html")
    assert [block for block in found if block in expected] == list(expected)
    assert not {*found} & {*absent}


def test_prose_beside_an_article_is_named(caplog):
    page = f"<main>{LONG}</main><aside><p>Tickets cost nine crowns.</p></aside><footer><a href=/>Imprint of us all</a></footer>"
    assert SENTENCE in blocks(page.encode(), ".html")
    assert caplog.messages == ["a.html: left out 1 block beside its article: 'Tickets cost nine crowns.' …"]


COLUMNS = (
    "1 0 0 1 72 {y} Tm (The mill at Reiner burned) Tj 1 0 0 1 310 {y} Tm (The mill at Corvane was) Tj",
    "1 0 0 1 72 {y} Tm (down and was never rebuilt.) Tj 1 0 0 1 310 {y} Tm (sold in 1921 to a family.) Tj",
    "1 0 0 1 72 {y} Tm (Its stones lie in the river.) Tj 1 0 0 1 310 {y} Tm (It makes paper to this day.) Tj",
)
LEFT = "The mill at Reiner burned down and was never rebuilt. Its stones lie in the river."
RIGHT = "The mill at Corvane was sold in 1921 to a family. It makes paper to this day."
WIDE = "1 0 0 1 72 770 Tm (A report on the mills of the whole valley of the upper Aster in our time) Tj "
TABLE = " ".join(
    f"1 0 0 1 72 {700 - 14 * number} Tm ({year}) Tj 1 0 0 1 310 {700 - 14 * number} Tm ({people}) Tj"
    for number, (year, people) in enumerate([("year", "people"), ("2020", "31"), ("2021", "35"), ("2022", "36")])
)


def placed(left, y, text):
    """A line whose words are placed one by one."""
    shown = ""
    for word in text.split():
        shown += f"1 0 0 1 {left} {y} Tm ({word}) Tj "
        left += 3.6 + sum(
            3 if char in "ilt.,fj" else 4 if char == "r" else 9 if char in "mwMTCRN" else 6.7 for char in word
        )
    return shown


def beside(*lines):
    return "".join(placed(72, 740 - 13 * y, one) + placed(310, 740 - 13 * y, two) for y, (one, two) in enumerate(lines))


APART = beside(
    ("The mill at Reiner burned", "The mill at Corvane was"), ("down and was never rebuilt.", "sold in 1921 to a family."),
    ("Its stones lie in the river.", "It makes paper to this day."),
)  # fmt: skip


def tight(gap):
    words = ["The", "mill", "at", "Reiner", "burned", "down", "in", "1894", "and", "was", "never", "rebuilt"]
    return "[" + f" -{gap} ".join(f"({word})" for word in words) + "] TJ "


@pytest.mark.parametrize(
    ("shown", "expected", "warning"),
    [
        (" ".join(line.format(y=740 - 13 * number) for number, line in enumerate(COLUMNS)), [LEFT, RIGHT], ""),
        (WIDE + " ".join(line.format(y=740 - 13 * number) for number, line in enumerate(COLUMNS)),
         ["A report on the mills of the whole valley of the upper Aster in our time", LEFT, RIGHT], ""),
        (APART, [LEFT, RIGHT], ""),
        (placed(280, 60, "- 7 -") + APART + placed(280, 790, "Page 7 of 9"), [LEFT, RIGHT], ""),
        (beside(*(("The mill at Reiner burned", "The mill at Corvane was"), ("down and was never rebuilt.", "sold in 1921 to a family."))),
         ["The mill at Reiner burned down and was never rebuilt.", "The mill at Corvane was sold in 1921 to a family."], ""),
        (beside(("Price of a ticket for adults", "nine crowns and fifty"), ("Price of a ticket for pupils", "four crowns and a half")),
         ["Price of a ticket for adults nine crowns and fifty", "Price of a ticket for pupils four crowns and a half"], ""),
        (placed(310, 753, "Page 1 of 2") + beside(
            ("The old mill has stones", "Reiner valley, they say."), ("that are known all over,", "Nobody has sold one yet."),
            ("and they lie in the", "Some weigh over ten tons.")),
         ["The old mill has stones that are known all over, and they lie in the Reiner valley, they say.", "Page 1 of 2",
          "Nobody has sold one yet. Some weigh over ten tons."], ""),
        (" ".join(f"1 0 0 1 {72 + 7.4 * number} 740 Tm ({char}) Tj" for number, char in enumerate("opened on 2020")),
         ["opened on 2020"], ""),
        (placed(72, 740, "Cost of it") + placed(72, 700, "316") + placed(310, 700, "36"), ["Cost of it", "316 36"], ""),
        (TABLE, ["year people", "2020 31", "2021 35", "2022 36"], ""),
        (tight(200), ["The mill at Reiner burned down in 1894 and was never rebuilt"], ""),
        (tight(333), ["The mill at Reiner burned down in 1894 and was never rebuilt"], ""),
        ("(It bred at W) Tj /F1 12.01 Tf [60 (end Meadows)] TJ ", ["It bred at Wend Meadows"], ""),
        (r"(It bred \() Tj /F1 12.01 Tf (boats) Tj /F1 12 Tf (\). Then) Tj ", ["It bred (boats). Then"], ""),
        (tight(100), None, "page 1 with words that run together"),
    ],
    ids=["columns", "a title above columns", "words apart", "page numbers", "two lines", "two rows", "a sentence over two columns", "letters apart", "last row apart", "table", "narrow gaps", "wide gaps", "close letters", "brackets", "no gaps"],
)  # fmt: skip
def test_a_pdf_is_read_in_columns_with_its_spaces(shown, expected, warning, caplog):
    found = blocks(pdf([""], shown=shown), ".pdf")
    assert expected is None or found == expected
    assert warning in caplog.text and bool(caplog.messages) == bool(warning)


URI = "/Subtype /Link /A << /S /URI /URI (https://a.example/toll_\\(old\\)) >>"


@pytest.mark.parametrize(
    ("annotation", "left", "right", "expected", "warning"),
    [
        (URI, 50, 104, "It ill fits.{} Will WWW WWW WWW MMM, they say.", ""),
        (URI, 62, 86, "It ill fits{}. Will WWW WWW WWW MMM, they say.", ""),
        (URI, 92, 200, "It ill fits. Will WWW WWW{} WWW MMM, they say.", ""),
        ("/Subtype /Link /A << /S /URI >>", 50, 104, "It ill fits. Will WWW WWW WWW MMM, they say.", "page 1 with links that have no"),
        ("/Subtype /Link", 50, 104, "It ill fits. Will WWW WWW WWW MMM, they say.", "page 1 with links that have no"),
        ("/Subtype /Link /A << /S /GoTo /D [0 /Fit] >>", 50, 104, "It ill fits. Will WWW WWW WWW MMM, they say.", ""),
        ("/Subtype /FreeText /Contents (No.)", 50, 104, "It ill fits. Will WWW WWW WWW MMM, they say.", "page 1 with notes or text boxes"),
    ],
    ids=["two words and a stop", "two words", "the next sentence", "no address", "no action", "within", "a text box"],
)  # fmt: skip
def test_links_of_a_pdf_stand_behind_their_words(annotation, left, right, expected, warning, caplog):
    annotation = f"<< /Type /Annot {annotation} /Rect [{left} 776 {right} 794] >>"
    data = pdf(["It ill fits. Will WWW WWW WWW MMM, they say."], annotation=annotation)
    ((_, found),) = pdfs.pages_of(data, "a.pdf", links=True)
    assert found == [expected.format(" <https://a.example/toll_(old)>")]
    assert warning in caplog.text and bool(caplog.messages) == bool(warning)


@pytest.mark.parametrize(
    ("old", "new", "pages", "warning"),
    [
        (b"(It snowed.)", b"(It snowed.(", ["page=1", "page=3"], "page 2 skipped, no text (blank, damaged, or a picture"),
        (b"(It snowed.) Tj", b"(          ) Tj", ["page=1", "page=3"], ""),
        (b"(It snowed.) Tj", b"/A Do ABCD     ", ["page=1", "page=3"], "page 2 skipped, no text"),
        (b"/Kids [4 0 R 6 0 R", b"/Kids [4 0 R 9 9 R", ["page=1", "page=3"], "page 2 skipped, no text"),
    ],
    ids=["unclosed", "spaces", "picture", "missing"],
)  # fmt: skip
def test_a_bad_page_of_a_pdf_is_named(old, new, pages, warning, caplog):
    data = pdf(["It rained."], ["It snowed."], ["It hailed."]).replace(old, new)
    assert [place for place, _ in parts_of(data, ".pdf", "a.pdf")] == pages
    assert warning in caplog.text and bool(caplog.messages) == bool(warning)


def test_numbers_that_stand_above_a_line_of_a_pdf_stay_there():
    shown = "(It is 5 km) Tj /F1 6 Tf 4 Ts (2) Tj /F1 12 Tf 0 Ts (, they say.) Tj "
    assert blocks(pdf([""], shown=shown), ".pdf") == ["It is 5 km², they say."]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([["In May it bought its second new lad-"], ["der for 9 crowns. It leaks."]], ["In May it bought its second new ladder for 9 crowns.", "It leaks."]),
        ([["It bought a new and"], ["Fire report", "long ladder. It leaks."]], ["It bought a new and long ladder.", "Fire report", "It leaks."]),
        ([["They all came from a place called North Rhine-"], ["Westphalia."]], ["They all came from a place called North Rhine-Westphalia."]),
        ([["It bought a new and"], ["a very long ladder and"], ["a pump."]], ["It bought a new and a very long ladder and a pump."]),
        ([["It has a new ladder of wood."], ["a. Ladders"]], ["It has a new ladder of wood.", "a. Ladders"]),
        ([["Ladders of the town"], ["wood 9"]], ["Ladders of the town", "wood 9"]),
    ],
)  # fmt: skip
def test_a_sentence_is_on_the_page_of_a_pdf_where_it_begins(pages, expected):
    assert blocks(pdf(*pages), ".pdf") == expected


def test_lines_of_a_pdf_are_unwrapped():
    lines = ["Bridges", "It lies in North Rhine-", "Westphalia, in the mid-", "1990s -", "so thirty-", "four it is"]
    whole = "It lies in North Rhine-Westphalia, in the mid-1990s - so thirty-four it is"
    assert [*filter(None, pdfs.unwrapped(lines))] == ["Bridges", whole]
    words = ["Bridges", "The Aster bridge was opened to traf-", "fic in May 1932, said the minis-", "try.", "Now"]
    prose = "The Aster bridge was opened to traffic in May 1932, said the ministry."
    assert blocks(pdf(words), ".pdf") == ["Bridges", prose, "Now"]
    footer = "A footer that is as long as three lines of text"
    short = ["Corvane", "the city. The old", "bridge is closed to lor-", "ries.", "a. cars", footer]
    assert blocks(pdf(short), ".pdf")[:3] == ["Corvane", "the city. The old bridge is closed to lorries.", "a. cars"]


@pytest.mark.parametrize(
    ("text", "expected", "warning"),
    [
        ("town,people\nOslo,1\nÅs,\n", ["town: Oslo, people: 1", "town: Ås"], ""),
        ("town;note\nOslo;rain, snow\n", ["town: Oslo, note: rain, snow"], ""),
        ("town\tpeople\nOslo\t1\n", ["town: Oslo, people: 1"], ""),
        ("sep=;\ntown;people\nOslo;1,5\n", ["town: Oslo, people: 1,5"], ""),
        ("People of towns, by census\n\"Source: office, 2017\"\n\ntown;people\nOslo;1\n",
         ["People of towns, by census", "Source: office, 2017", "town: Oslo, people: 1"], ""),
        ("People,,\nof towns,,\ntown,people,year\nOslo,1,2017\n", ["People", "of towns", "town: Oslo, people: 1, year: 2017"], ""),
        ("# by hand, in 2017\ntown\tkm, by road\tyear\nOslo\t1,5\t1961\n", ["# by hand, in 2017", "town: Oslo, km, by road: 1,5, year: 1961"], ""),
        ("town,,people,,\nOslo,,1,,\n", ["town: Oslo, people: 1"], ""),
        ("Oslo,8460,Ann\nÅs,95,Jon\n", ["Oslo, 8460, Ann", "Ås, 95, Jon"], "found none; read without"),
        (",2015,2016\nOslo,1,2\n", ["Oslo, 2015: 1, 2016: 2"], ""),
        ("town\nOslo\nÅs\n", ["town: Oslo", "town: Ås"], ""),
        ("People of towns\n", ["People of towns"], "found none; read without"),
        ("town;note\r\nOslo;" + "x" * 200_000 + "\r\n", ["town: Oslo, note: " + "x" * 200_000], ""),
        ('town,note\nOslo,"rain\nand snow"\n', ["town: Oslo, note: rain and snow"], ""),
        ('town,note\nOslo,"rain\nÅs,"snow"\n', ["town: Oslo, note: \"rain", "town: Ås, note: snow"], "quotation marks are not closed in 1 row, first in row 2"),
        ("town,people,\n,2010,2020\nOslo,1,2\n", ["town: Oslo, people 2010: 1, people 2020: 2"], ""),
        ("day;visitors\nMon;1234\n\nday;cars\nMon;55\n\nTotal;60\n", ["day: Mon, visitors: 1234", "day: Mon, cars: 55", "day: Total, cars: 60"], ""),
        ("day,town\nMon,Oslo\n,Ås\n", ["day: Mon, town: Oslo", "town: Ås"], ""),
        (",2022,,2023\ntown,in,out,in,out\nOslo,1,2,3,4\n", ["town: Oslo, 2022 in: 1, 2022 out: 2, 2023 in: 3, 2023 out: 4"], ""),
        ("year,boats\n2022,9\nSource: us.\nInland\nyear,boats\n2022,1\nby hand: all\n", ["year: 2022, boats: 9", "Source: us.", "Inland", "year: 2022, boats: 1", "by hand: all"], ""),
        (",9000,8\nOslo,1,2\n", ["9000, 8", "Oslo, 1, 2"], "found none; read without"),
        ("\n,\n", [], ""),
    ],
    ids=["commas", "semicolons", "tabs", "sep", "title lines", "padded title", "comment", "empty columns", "no header", "empty corner", "one column",
         "title only", "long cell", "line in a cell", "unclosed", "two headers", "two tables", "a blank cell", "names of groups", "titles and notes", "only names", "empty"],
)  # fmt: skip
def test_each_row_of_a_table_can_be_read_alone(text, expected, warning, caplog):
    assert blocks(text.encode(), ".csv") == expected
    assert warning in caplog.text and bool(caplog.messages) == bool(warning)


def test_rows_are_cited_by_their_numbers():
    rows = ["sep=,", "Notes", "year,note", *(f"{year},{'x' * 600}" for year in range(2000, 2003)), "", "2004,y"]
    places = [place for place, _ in parts_of("\n".join(rows).encode(), ".csv", "a.csv")]
    assert places == ["row=2", "row=4", "row=5", "row=6-8"]


@pytest.mark.parametrize(
    ("text", "encoding", "read"),
    [
        ("The café paid £4.5m – “nobody was asked”.", "cp1252", "cp1252"),
        ("Bjørnstjerne Bjørnson kom til Ås.", "latin-1", "cp1252"),
        ("Это текст на русском языке в старой кодировке.", "cp1251", "cp1251"),
        ("東京の橋は開通した。", "iso2022_jp", "iso2022_jp"),
        ("The bridge is open.", "utf_16_le", "utf_16_le"),
        ("<meta charset=windows-1257><p>Tiltas atidarytas ąčę.", "cp1257", "cp1257"),
        ("<meta charset='iso-8859-1'><p>The café “Zürich” takes €4 for a cup – no more.", "cp1252", "cp1252"),
        ('<?xml encoding="us-ascii"?><p>The café “Zürich” takes €4 for a cup – no more.', "cp1252", "cp1252"),
        ("<meta charset=utf-8><p>The café “Zürich” takes €4 for a cup – no more.", "cp1252", "cp1252"),
        ("<meta charset=none><p>The café “Zürich” takes €4 for a cup – no more.", "cp1252", "cp1252"),
        ("The bridge is open: ça va.", "utf-8", ""),
    ],
)  # fmt: skip
def test_recognizes_encodings(text, encoding, read, caplog):
    assert decoded(text.encode(encoding), "a.txt") == text.removeprefix("\ufeff")
    assert caplog.messages == ([f"a.txt: not UTF-8, read as {read}"] if read else [])


def test_a_file_of_two_encodings_is_read_in_both(caplog):
    text = "The café paid £9.\n"
    assert decoded(2 * text.encode() + text.encode("cp1252"), "a.txt") == 3 * text
    assert caplog.messages == ["a.txt: not all UTF-8, the rest read as cp1252"]


@pytest.mark.parametrize(
    ("data", "warning"),
    [(b"It rained.\0\0\0 It snowed.", "NUL characters"), ("It rained. It snowed".encode("utf-16") + b".", "last byte")],
)
def test_damaged_texts_are_read_as_far_as_they_go(data, warning, caplog):
    assert decoded(data, "a.txt").rstrip(".") == "It rained. It snowed"
    assert caplog.messages[0].startswith(f"a.txt: left out its {warning}")


@pytest.mark.parametrize("data", [b"\x1b$B66!#\x1b(B", bytes(range(256)) * 20])
def test_what_no_encoding_fits_is_refused(data):
    with pytest.raises(UnreadableFile, match="not text in any known encoding"):
        decoded(data, "a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tessaly Foods\nTessaly Foods was founded in Bergen\nin the year 2010.", 2),
        ("Opening hours\n\nMonday to Friday", 2),
        ("Dr. Smith arrived\nlate, and he left.", 1),
        ("The bridge over the river Aster in the town of\nCorvane was closed.", 1),
        ("Rules:\n- one key\n- two keys", 3),
        ("A long line that is a paragraph by itself, " * 4 + "\nThe next paragraph.", 2),
        ("The whole text is two lines, of which the first\nis wrapped.", 1),
    ],
)
def test_headings_of_plain_text_stand_alone(text, expected):
    assert len(blocks(text.encode(), ".txt")) == expected


@pytest.mark.parametrize(
    ("body", "suffix"),
    [
        (b"<p>It rained.</p>", ".html"), (b"\xef\xbb\xbf <!DOCTYPE HTML><p>", ".html"), (b"%PDF-1.7", ".pdf"),
        (b"<?xml version='1.0'?>\n<html>", ".html"), (b"<priced> It rained.", ".txt"), (b"PK\3\4", ".docx"),
    ],
)  # fmt: skip
def test_the_bytes_tell_the_format(body, suffix):
    assert suffix_of(body) == suffix
