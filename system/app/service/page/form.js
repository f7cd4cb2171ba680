// The form: a claim or a text with documents or the name of a store. It outlives a reload, to be corrected and sent again.

const form = document.getElementById("order");
const find = (id) => document.getElementById(id);
const statement = find("statement"); // what is to be checked
const KEPT = `order of ${form.dataset.path}`; // in the storage of this tab
let held = null; // a file in the place of the text: its name and what it holds
const TEXTS = [".txt", ".md", ".markdown"]; // shown as text; the service reads files of other kinds

function addDocument({ name = "", text = "", file = "" } = {}) {
  const number = find("documents").children.length + 1;
  const field = (words, input) => h("label", { class: "field" }, `Document ${number}: ${words}`, input);
  const block = h("div", { class: "document" },
    field("title or address", h("input", { name: "name", maxlength: 500, dir: "auto", autocomplete: "off" })),
    file ? h("p", { class: "file" }, `A file of ${Math.ceil(file.length * 0.75 / 1024)} KiB, which the service reads. `, h("button", { type: "button", onclick: () => removeDocument(block) }, "Remove"))
      : field("text", h("textarea", { name: "text", rows: 5, dir: "auto" })));
  block.querySelector("[name=name]").value = name;
  if (file) block.file = file;
  else block.querySelector("[name=text]").value = text;
  find("documents").append(block);
  find("add").disabled = number >= Number(form.dataset.most);
  return block;
}

function removeDocument(block) {
  const others = given().documents.filter((_, place) => find("documents").children[place] !== block);
  showDocuments(others);
  keep();
}

function showDocuments(documents) {
  find("documents").replaceChildren();
  (documents.length ? documents : [{}]).forEach(addDocument);
}

function chooseSource() {
  const store = form.elements.source.value === "store";
  for (const id of ["documents", "more"]) find(id).hidden = store;
  find("store").hidden = !store;
}

async function listStores() {
  try {
    const { stores } = await (await ask("/stores")).json();
    form.elements.store.replaceChildren(...stores.map((name) => h("option", { value: name }, name)));
    if (stores.includes(form.elements.store.dataset.wanted)) form.elements.store.value = form.elements.store.dataset.wanted;
    form.querySelector("[value=store]").disabled = !stores.length;
    find("token").hidden = !token;
  } catch (error) {
    if (error.status !== 401) throw error;
    find("token").hidden = false;
  }
}

// All that is in the form.
function given() {
  const { date, speaker, source, store } = form.elements;
  const documents = [...find("documents").children].map((block) => {
    const name = block.querySelector("[name=name]").value.trim();
    return block.file ? { name, file: block.file } : { name, text: block.querySelector("[name=text]").value };
  });
  return { statement: statement.value, date: date.value.trim(), speaker: speaker.value.trim(), source: source.value, store: store.value, documents, held };
}

// What is to be sent; fields that are empty are left out.
function order() {
  const { source, store, documents, statement: asked, held, ...others } = given();
  const about = { [form.dataset.path === "/claims" ? "claim" : "text"]: asked, ...others, ...held };
  const known = Object.fromEntries(Object.entries(about).filter(([, value]) => value));
  if (source === "store") return { ...known, store };
  const filled = documents.filter((one) => one.file || one.text.trim());
  if (!filled.length) throw new Error("Paste the text of a document or add a file first, or choose a store.");
  return { ...known, documents: filled };
}

// Files may be larger than what a browser keeps; then all but their content is kept.
function keep() {
  const all = given();
  for (const less of [{}, { documents: all.documents.filter((one) => !one.file), held: null }]) {
    try {
      return sessionStorage.setItem(KEPT, JSON.stringify({ ...all, ...less }));
    } catch { /* the storage is full or not allowed */ }
  }
}

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  statement.value = kept.statement ?? "";
  for (const name of ["date", "speaker", "source"]) if (kept[name]) form.elements[name].value = kept[name];
  held = kept.held ?? null;
  form.elements.store.dataset.wanted = kept.store ?? "";
  showDocuments(kept.documents ?? []);
}

async function addFiles() {
  const { documents } = given();
  const unread = [];
  for (const file of find("files").files) {
    const empty = documents.findIndex((one) => !one.file && !one.text.trim());
    const place = empty < 0 ? documents.length : empty;
    const found = place < Number(form.dataset.most) && await documentOf(file);
    if (found) documents[place] = found;
    else unread.push(file.name);
  }
  find("files").value = "";
  showDocuments(documents);
  keep();
  if (unread.length) throw new Error(`Skipped: ${unread.join(", ")}. Expected files ${find("files").accept.replaceAll(",", ", ")}, at most ${form.dataset.most} documents.`);
}

// The document that a file makes; nothing for one that cannot be read here or by the service.
async function documentOf(file) {
  const name = file.name;
  const ending = name.slice(name.lastIndexOf(".")).toLowerCase();
  if (!file.size || !find("files").accept.split(",").includes(ending)) return null;
  const text = TEXTS.includes(ending) ? await file.text() : "";
  if (text.trim() && !/[\0\uFFFD]/.test(text)) return { name, text };
  return { name, file: await inBase64(file) };
}

function inBase64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

find("files").addEventListener("change", () => addFiles().catch(tellProblem));
find("add").addEventListener("click", () => addDocument().querySelector("input").focus());
form.addEventListener("input", keep);
find("sources").addEventListener("change", chooseSource);
form.elements.token.addEventListener("change", () => {
  token = form.elements.token.value.trim();
  listStores().then(resume).catch(tellProblem);
});
restore();
