// A claim under way: its graph drawn anew as thoughts come, then verdict, questions and answers as in the report.

const view = find("claim-view");
const panel = find("thought");
let running = null; // id of the claim that is followed
let whenClosed = null; // what is to be done when the thought that is open is closed

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt((live) => live.run(order()));
});

async function attempt(work) {
  const live = new Live();
  form.querySelector("[type=submit]").disabled = true;
  try {
    await work(live);
  } catch (error) {
    tellProblem(error);
    if (error.status === 401) listStores();
  } finally {
    running = null;
    find("cancel").hidden = true;
    form.querySelector("[type=submit]").disabled = false;
  }
}
find("cancel").addEventListener("click", () => running && ask(`/claims/${running}`, { method: "DELETE" }).catch(tellProblem));
panel.addEventListener("keydown", (event) => event.key === "Escape" && closePanel());

class Live {
  constructor() {
    this.details = { claim_id: 0, thoughts: [], passages: [], pairs: [], gold: null };
    this.known = new Map(); // numbers of passages by what they are
    this.frame = h("div", { class: "graph-frame" });
    this.began = Date.now();
    this.due = 0;
    whenClosed = null;
    closePanel();
    find("report").hidden = true;
    view.replaceChildren(this.frame);
    tell("Sending…");
  }

  async run(wanted) {
    const { id, position } = await submit(wanted);
    history.replaceState(null, "", `#${id}`); // so that a reload, or another browser, finds it
    tell(position ? `Waiting; ${position} before this one.` : "Waiting, then reading…");
    await this.watch(id);
  }

  async watch(id) {
    running = id;
    find("cancel").hidden = false;
    for await (const { name, data } of follow(id)) {
      if (name === "thought") this.add(data);
      else this.end(name, data);
    }
  }

  add(thought) {
    this.details.thoughts.push({ ...thought, content: this.fold(thought.content) });
    tell(`${this.details.thoughts.length} thoughts, ${inSeconds((Date.now() - this.began) / 1000)}`);
    this.due ||= requestAnimationFrame(() => this.draw());
  }

  // The report's form of a thought: a number stands for a passage, which is kept once.
  fold(value) {
    if (value == null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map((item) => this.fold(item));
    if (typeof value.url !== "string" || !Number.isInteger(value.start)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fold(item)]));
    const key = JSON.stringify([value.url, value.page, value.start]);
    if (!this.known.has(key)) this.known.set(key, this.details.passages.push(value) - 1);
    return { ref: this.known.get(key) };
  }

  draw() {
    this.due = 0;
    const focused = this.frame.contains(document.activeElement) && document.activeElement.dataset.id;
    this.graph = drawGraph(this.details, (id) => this.open(id));
    this.frame.replaceChildren(this.graph);
    if (focused) this.node(focused)?.focus({ preventScroll: true });
    if (!panel.hidden) trace(this.graph, this.details.thoughts, panel.dataset.id);
  }

  open(id) {
    const thought = this.details.thoughts.find((one) => one.id === id);
    panel.replaceChildren(...h("div", {}, thoughtPanel(thought, this.details, { open: (other) => this.open(other), close: closePanel })).childNodes);
    panel.dataset.id = id;
    panel.hidden = false;
    panel.querySelector("h2").focus();
    trace(this.graph, this.details.thoughts, id);
    whenClosed = () => {
      untrace(this.graph);
      this.node(id)?.focus();
    };
  }

  node(id) {
    return this.graph.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  end(state, { id, result }) {
    if (state !== "done") return tell(ENDS[state] ?? state, true);
    const { verdict, pairs, timing, failures } = result;
    this.details.pairs = pairs.map(({ question, answer, answers }) => {
      const read = answers.filter((one) => one.source === "Evidence").map((one) => one.passage);
      return { question, answer, url: read[0]?.url, scraped_text: read[0]?.text, urls: read.map((passage) => passage.url) };
    });
    Object.assign(this.details, verdict);
    tell(`${verdict.label} after ${inSeconds(timing.seconds)}${timing.cut_short ? ", cut short by the deadline" : ""}`);
    view.prepend(h("header", {}, h("h2", { class: "claim-text", dir: "auto" }, result.claim.text),
      failures.map((failure) => h("p", { class: "failure" }, `${failure.operation} failed: ${failure.message}`))), verdicts(this.details));
    view.append(pairsSection(this.details));
    offerReport(id);
  }
}

const ENDS = {
  lost: "The service stopped before this claim was finished; submit it again.",
  failed: "The service failed on this claim; its log says why.",
  cancelled: "Cancelled.",
  stopped: "The service is stopping; submit the claim again later.",
};

function closePanel() {
  panel.hidden = true;
  whenClosed?.();
  whenClosed = null;
}

// A link cannot send the token; with one, the report is fetched here and saved.
function offerReport(id) {
  const link = h("a", { href: `/claims/${id}/report`, target: "_blank", onclick: token ? saveReport : null }, "Report of this claim");
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

// The check that the address names, as it is after a reload.
function resume() {
  const id = location.hash.slice(1);
  if (id && running !== id) attempt((live) => live.watch(id));
}

window.addEventListener("hashchange", resume);
listStores().catch(tellProblem);
chooseSource();
resume();
