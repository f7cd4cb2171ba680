// The claim list: what the filters say is also the address, so that a count elsewhere can link to its claims.

const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("#list tbody tr")];
const SELECTS = ["label", "gold", "type", "incident"];

// Texts to search, read once.
const searched = new Map(rows.map((row) => [row, `${row.id.slice(4)} ${row.cells[1].textContent}`.toLowerCase()]));

function fits(row, wanted) {
  const marks = row.dataset.is.split(" ");
  const holds = (name) => row.dataset[name].split("|").includes(wanted.get(name));
  return SELECTS.every((name) => !wanted.get(name) || holds(name)) && wanted.getAll("is").every((mark) => marks.includes(mark)) && found(row, wanted.get("text"));
}

// All words occur somewhere; a number is an id, or stands by itself in the text.
function found(row, text) {
  const query = (text ?? "").trim().toLowerCase();
  if (/^\d+$/.test(query)) return new RegExp(`(?<![\\d.,])${query}(?![\\d])`).test(searched.get(row));
  return query.split(/\s+/).every((word) => searched.get(row).includes(word));
}

function applyFilters(wanted) {
  let shown = 0;
  for (const row of rows) {
    row.hidden = !fits(row, wanted);
    shown += !row.hidden;
  }
  document.getElementById("shown").textContent = shown === rows.length ? `${shown} claims` : `${shown} of ${rows.length} claims`;
}

// Sets the controls to what an address asks for.
function setFilters(wanted) {
  form.reset();
  for (const name of [...SELECTS, "text"]) if (form.elements[name]) form.elements[name].value = wanted.get(name) ?? "";
  for (const box of form.querySelectorAll("[name=is]")) box.checked = wanted.getAll("is").includes(box.value);
  applyFilters(wanted);
}

function readFilters() {
  return new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
}

const shownIds = () => rows.filter((row) => !row.hidden).map((row) => Number(row.id.slice(4)));
