// The form: a claim with documents or the name of a store.

const form = document.getElementById("order");
const find = (id) => document.getElementById(id);

function addDocument() {
  const number = find("documents").children.length + 1;
  const block = h("div", { class: "document" },
    h("label", { class: "field" }, `Document ${number}: title or address`, h("input", { name: "name", maxlength: 500, dir: "auto", autocomplete: "off" })),
    h("label", { class: "field" }, `Document ${number}: text`, h("textarea", { name: "text", rows: 5, dir: "auto" })));
  find("documents").append(block);
  find("add").disabled = number >= Number(form.dataset.most);
  return block;
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
    form.querySelector("[value=store]").disabled = !stores.length;
    find("token").hidden = !token;
  } catch (error) {
    if (error.status !== 401) throw error;
    find("token").hidden = false;
  }
}

// What is to be sent; fields that are empty are left out.
function order() {
  const { claim, date, speaker, source, store } = form.elements;
  const given = { claim: claim.value, date: date.value.trim(), speaker: speaker.value.trim() };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  return source.value === "store" ? { ...known, store: store.value } : { ...known, documents: documents() };
}

function documents() {
  const texts = [...find("documents").children].map((block) => ({
    name: block.querySelector("[name=name]").value.trim(), text: block.querySelector("[name=text]").value,
  })).filter((one) => one.text.trim());
  if (!texts.length) throw new Error("Paste the text of a document first, or choose a store.");
  return texts;
}

// A file becomes a document like a pasted one: its text alone is sent.
async function addFiles() {
  const unread = [];
  for (const file of find("files").files) {
    const text = await textOf(file);
    if (!text.trim() || /[\0\uFFFD]/.test(text)) { unread.push(file.name); continue; }
    const empty = [...find("documents").children].find((block) => !block.querySelector("[name=text]").value.trim());
    if (!empty && find("add").disabled) { unread.push(file.name); continue; }
    const block = empty ?? addDocument();
    block.querySelector("[name=name]").value = file.name;
    block.querySelector("[name=text]").value = text;
  }
  find("files").value = "";
  if (unread.length) throw new Error(`Left out: ${unread.join(", ")}. Expected text files in UTF-8, at most ${form.dataset.most} documents.`);
}

async function textOf(file) {
  const text = await file.text();
  if (!/\.html?$/i.test(file.name)) return text;
  const page = new DOMParser().parseFromString(text, "text/html"); // which runs nothing
  page.querySelectorAll("script, style, template, noscript").forEach((one) => one.remove());
  page.querySelectorAll("p, div, li, tr, h1, h2, h3, h4, h5, h6, br").forEach((one) => one.append("\n\n"));
  return page.body.textContent;
}

find("files").addEventListener("change", () => addFiles().catch(tellProblem));
find("add").addEventListener("click", () => addDocument().querySelector("input").focus());
find("sources").addEventListener("change", chooseSource);
form.elements.token.addEventListener("change", () => {
  token = form.elements.token.value.trim();
  listStores().then(resume).catch(tellProblem);
});
addDocument();
