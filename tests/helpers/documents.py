"""Files as other programs write them, made by hand: DOCX from parts of XML, PDFs from lines."""

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    f'xmlns:r="{OFFICE}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def run(text: str) -> str:
    """A run of a paragraph."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(inside: str) -> str:
    """A paragraph of runs; a text becomes one."""
    return f"<w:p>{inside if inside.startswith('<') else run(inside)}</w:p>"


def note(kind: str, text: str) -> str:
    """The part of a note, whose number is 2."""
    return f'<w:{kind}s {NAMESPACES}><w:{kind} w:id="2">{paragraph(text)}</w:{kind}></w:{kind}s>'


def docx(body: str, links: dict[str, str] | None = None, **parts: str) -> bytes:
    """A Word document of paragraphs and tables, with addresses by their ids and parts by name, such as footnotes."""
    link = f'<Relationship Id="{{}}" Type="{OFFICE}/hyperlink" Target="{{}}" TargetMode="External"/>'
    part = f'<Relationship Id="{{0}}" Type="{OFFICE}/{{1}}" Target="{{0}}.xml"/>'
    relations = [link.format(*item) for item in (links or {}).items()]
    relations += [part.format(name, name.rstrip("123456789")) for name in parts]
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": _relations(
            [f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>']
        ),
        "word/_rels/document.xml.rels": _relations(relations),
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        **{f"word/{name}.xml": content for name, content in parts.items()},
    }
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _relations(relations: list[str]) -> str:
    kind = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{kind}">{"".join(relations)}</Relationships>'


def pdf(*pages: list[str], shown: str = "", annotation: str = "") -> bytes:
    """A PDF with the lines of each page, or these operators; the first page's annotation is a dictionary of PDF."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        stream = f"BT /F1 12 Tf 50 780 Td {shown or ''.join(f'({line}) Tj 0 -14 Td ' for line in lines)} ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R {f'/Annots [{annotation}]' if annotation and not number else ''} >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(data)}\n"
    )
    return data + end.encode() + b"%%EOF\n"
