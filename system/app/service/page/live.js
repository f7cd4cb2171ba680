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
    find("asked").open = true;
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
    this.details = { claim_id: 0, thoughts: [], passages: [], pairs: [], gold: null, metadata: {} };
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
    const { id, position } = await submit("/claims", wanted);
    history.replaceState(null, "", `#${id}`); // so that a reload, or another browser, finds it
    fold();
    tell(position ? `Waiting; ${position} before this one.` : "Waiting, then reading…");
    await this.watch(id);
  }

  async watch(id) {
    running = id;
    find("cancel").hidden = false;
    for await (const { name, data } of follow(`/claims/${id}/thoughts`)) {
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

  end(state, { id, problem, result }) {
    if (state !== "done") {
      find("asked").open = true;
      return tell(problem || (ENDS[state] ?? state), true);
    }
    if (!statement.value) statement.value = result.claim.text; // of a check that another tab began
    const { claim, evidence, failures, seconds, cut_short, ...verdict } = result;
    this.details.pairs = evidence.map(({ question, answer, passages }) => (
      { question, answer, url: passages[0]?.address, scraped_text: passages[0]?.text, urls: passages.map((one) => one.address) }));
    Object.assign(this.details, verdict, { claim: claim.text, timing: null, failures: [] });
    tell(`${verdict.label} after ${inSeconds(seconds)}${cut_short ? ", when its time was up" : ""}`);
    view.prepend(header(this.details), verdicts(this.details), pairsSection(this.details));
    view.append(...failures.map((message) => h("p", { class: "failure" }, message)), checkedSection(this.details) ?? "");
    offerReport(`/claims/${id}/report`);
  }
}

const ENDS = {
  failed: "The service failed on this claim; its log says why.",
  cancelled: "Cancelled.",
};

function closePanel() {
  panel.hidden = true;
  whenClosed?.();
  whenClosed = null;
}

// The check that the address names, as it is after a reload.
function resume() {
  const id = location.hash.slice(1);
  if (!id || running === id) return;
  fold();
  attempt((live) => live.watch(id));
}

window.addEventListener("hashchange", resume);
listStores().catch(tellProblem);
chooseSource();
resume();
