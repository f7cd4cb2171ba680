// What the pages of claims and texts say while a check is under way.

// While a check is under way and when it is done, the form makes room, so that a phone shows what is found at once.
function fold() {
  if (!find("asked").open) return;
  const focused = form.contains(document.activeElement);
  find("asked").open = false;
  if (focused) find("asked").querySelector("summary").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

// A link cannot send the token; with one, the report is fetched here and saved.
function offerReport(path) {
  const link = h("a", { href: path, target: "_blank", onclick: token ? saveReport : null }, find("report").textContent || "Report");
  find("report").replaceChildren(link);
  find("report").hidden = false;
}

async function saveReport(event) {
  event.preventDefault();
  try {
    const url = URL.createObjectURL(await (await ask(event.target.getAttribute("href"))).blob());
    h("a", { href: url, download: "report.html" }).click();
    URL.revokeObjectURL(url);
  } catch (error) {
    tellProblem(error);
  }
}

function tell(text, problem = false) {
  find("status").textContent = visible(text);
  find("status").classList.toggle("problem", problem);
}

function tellProblem(error) {
  tell(error.message, true);
}
