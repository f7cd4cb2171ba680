"""Make the pictures of the README and the docs: graphs as reports show them.

    python -m scripts.pictures

docs/reading.png shows the graph of the README's first command, docs/graph.png a Graph of Thoughts on the documents of
docs/tutorial.md. Needs Chromium with its driver, and the extra "test".
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

ROOT = Path(__file__).parent.parent
CLAIM = "The Aster bridge opened in {year}."
ASTER = {"aster.txt": "The Aster bridge was opened to traffic in May 1932.\n"}
TUTORIAL = {
    "history.md": "# The Aster bridge\nWork on the bridge took four years. The Aster bridge was opened to traffic in "
    "May 1932 by the mayor of Corvane.\nIt carries two lanes and a footpath.\n",
    "tourism.html": "<html><body><h1>Visit Corvane</h1><p>The old bridge over the Aster, opened in 1932, is closed to "
    "lorries.</p></body></html>\n",
}
GRAPH_OF_THOUGHTS = "--profile laptop --document-strategy got --questions 2 --branches 2 --depth 1"


def report(folder: Path, year: int, documents: Mapping[str, str], options: str) -> Path:
    """Check the claim with this year against documents by ``verify``, and return the path of its report."""
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "system", "verify", CLAIM.format(year=year), "--output", "output", "--documents"]
    subprocess.run([*command, *documents, *options.split()], cwd=folder, env={"PYTHONPATH": str(ROOT)}, check=True)
    return folder / "output" / "report.html"


def photograph(page: Path, picture: Path) -> None:
    """Save the graph of a report."""
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1000,3000"):
        options.add_argument(argument)
    with webdriver.Chrome(options=options) as browser:
        browser.implicitly_wait(10)  # the page unpacks the graph
        browser.get(page.as_uri())
        browser.find_element(By.CSS_SELECTOR, ".graph").screenshot(str(picture))


def main() -> None:
    """Make both pictures."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    for name, year, documents, options in (("reading", 1931, ASTER, ""), ("graph", 1932, TUTORIAL, GRAPH_OF_THOUGHTS)):
        with tempfile.TemporaryDirectory() as folder:
            photograph(report(Path(folder), year, documents, options), ROOT / "docs" / f"{name}.png")


if __name__ == "__main__":
    main()
