// A text under way: the page of the checked text, as far as it is done, taken over again as statements are done.

const view = find("text-view");
const picker = find("article");
const PAUSE = 1000; // milliseconds between two looks at the page, which is as long as the text
let running = null; // address of the text that is followed

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    tell("Sending…");
    const { id, position } = await submit("/texts", order());
    history.replaceState(null, "", `?id=${id}`); // so that a reload finds it
    tell(position ? `Waiting; ${position} before this one.` : "Waiting, then reading…");
    await watch(`/texts/${id}`);
  });
});

find("cancel").addEventListener("click", () => running && ask(running, { method: "DELETE" }).catch(tellProblem));

// A file that is dropped on the field is as one that is picked; dropped words are the browser's own affair.
statement.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  picker.files = event.dataTransfer.files;
  takeText().catch(tellProblem);
});
picker.addEventListener("change", () => takeText().catch(tellProblem));
statement.addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());

// The file that was picked takes the place of the text: in the field where it can be shown, else for the service to read.
async function takeText() {
  const [file] = picker.files;
  if (!file) return hold(null);
  try {
    const read = await documentOf(file);
    if (!read) throw new Error(`${file.name}: expected a file ${picker.accept.replaceAll(",", ", ")}.`);
    const text = read.text ?? "";
    if (text.length > statement.maxLength) throw new Error(`${file.name}: expected at most ${statement.maxLength} characters, got ${text.length}; check it in parts.`);
    statement.value = text;
    hold(read.file ? read : null);
  } catch (error) {
    hold(null);
    throw error;
  }
}

function hold(file) {
  held = file;
  statement.required = !file;
  statement.placeholder = file ? `${file.name}: a file of ${Math.ceil(file.file.length * 0.75 / 1024)} KiB, which the service reads` : "";
  if (!file) picker.value = "";
  keep();
}
statement.addEventListener("input", () => hold(null)); // what is typed takes the file's place again

async function attempt(work) {
  form.querySelector("[type=submit]").disabled = true;
  find("report").hidden = true;
  view.replaceChildren();
  try {
    await work();
  } catch (error) {
    find("asked").open = true;
    tellProblem(error);
    if (error.status === 401) listStores();
  } finally {
    running = null;
    find("cancel").hidden = true;
    form.querySelector("[type=submit]").disabled = false;
  }
}

async function watch(path) {
  running = path;
  find("cancel").hidden = false;
  let [total, done, looking] = [0, 0, null];
  const look = () => looking ??= refresh(path).then(() => new Promise((after) => setTimeout(after, PAUSE))).finally(() => looking = null);
  for await (const { name, data } of follow(`${path}/statements`)) {
    if (name === "text" || name === "statement") {
      if (name === "text") total = data.sentences.filter((one) => one.kind === "claim").length;
      else done += 1;
      fold();
      tell(`${done} of ${total} statements checked`);
      look().catch(() => {}); // the last look, below, says what is wrong
    } else {
      await looking?.catch(() => {});
      await end(name, data, path);
    }
  }
}

async function end(state, { checked, problem }, path) {
  if (state !== "done") {
    find("asked").open = true;
    return tell(problem || (ENDS[state] ?? state), true);
  }
  await refresh(path);
  tell(`${checked} ${checked === 1 ? "statement" : "statements"} checked`);
  offerReport(`${path}/report`);
}

// The service has escaped all that comes from texts. Of its page only the main part is parsed: this page has the style and
// the script already, and its policy forbids others.
async function refresh(path) {
  const html = await (await ask(`${path}/report`)).text();
  const page = new DOMParser().parseFromString(html.slice(html.indexOf("<main>"), html.lastIndexOf("</main>")), "text/html");
  const focused = view.contains(document.activeElement) && document.activeElement.id;
  const scrolled = document.getElementById("evidence")?.scrollTop;
  view.replaceChildren(...[".outcome", ".beside"].map((one) => document.importNode(page.querySelector(`main > ${one}`), true)));
  prepare();
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (scrolled) document.getElementById("evidence").scrollTop = scrolled;
}

const ENDS = {
  failed: "The service failed on this text; its log says why.",
  cancelled: "Cancelled.",
};

// The check that the address names, as it is after a reload.
function resume() {
  const id = new URLSearchParams(location.search).get("id");
  if (id && !running) attempt(() => watch(`/texts/${encodeURIComponent(id)}`));
}

if (held) hold(held);
listStores().catch(tellProblem);
chooseSource();
resume();
