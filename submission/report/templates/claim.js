// The view of one claim: verdict beside gold, the graph, questions and answers beside the annotators'.

function claimView(details, neighbors) {
  const panel = document.getElementById("thought");
  const byId = new Map(details.thoughts.map((thought) => [thought.id, thought]));
  let graph = null;
  const close = () => {
    if (panel.hidden) return false;
    const id = graph?.querySelector(".open")?.dataset.id;
    panel.hidden = true;
    if (graph) untrace(graph);
    graph?.querySelector(`[data-id="${CSS.escape(id ?? "")}"]`)?.focus();
    return true;
  };
  const open = (id) => {
    panel.replaceChildren(...h("div", {}, thoughtPanel(byId.get(id), details, { open, close })).childNodes);
    panel.hidden = false;
    panel.scrollTop = 0;
    if (graph) trace(graph, details.thoughts, id);
    panel.querySelector("h2").focus();
    graph?.querySelector(".open")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  graph = details.thoughts.length > 1 ? drawGraph(details, open) : null;
  return { close, elements: [header(details, neighbors), verdicts(details), graphSection(details, graph), pairsSection(details)] };
}

function header(details, neighbors) {
  const step = (id, words) => id !== undefined && h("a", { href: `#claim-${id}` }, words);
  const timing = details.timing;
  const facts = [
    ...Object.entries(details.metadata).map(([name, value]) => [name.replaceAll("_", " "), value]),
    timing && ["seconds", inSeconds(timing.seconds)],
    timing && ["rounds", timing.rounds],
    timing && ["branches", timing.branches],
    timing && ["tokens", `${timing.cost.tokens_in} in, ${timing.cost.tokens_out} out, ${timing.cost.calls} calls`],
    timing && ["stages", Object.entries(timing.stages).map(([name, value]) => `${name} ${inSeconds(value)}`).join(", ")],
    timing?.cut_short && ["deadline", "cut short"],
    Object.keys(details.flaws).length && ["store flaws", Object.entries(details.flaws).map(([name, count]) => `${name} ${count}`).join(", ")],
  ].filter(Boolean);
  return h("header", {},
    neighbors && h("p", { class: "crumbs" }, h("a", { href: "#claims" }, "All claims"), step(neighbors.before, "← Previous"), step(neighbors.after, "Next →")),
    h("p", { class: "tag" }, neighbors ? `Claim ${details.claim_id}` : "Claim"),
    h("h2", { class: "claim-text", tabindex: -1, dir: "auto" }, details.claim),
    h("ul", { class: "facts" }, facts.map(([name, value]) => h("li", {}, `${name} `, h("b", { dir: "auto" }, value)))),
    details.failures.map((failure) => h("p", { class: "failure" }, `${failure.operation} failed: ${failure.message}`)));
}

function verdicts(details) {
  const side = (title, label, reason, more) => h("div", {}, title && h("h3", {}, title), h("p", { class: "verdict" }, h("span", { class: `badge badge-${slug(label)}` }, label), more),
    reason && h("p", { class: "reason", dir: "auto" }, reason));
  const confidence = details.confidence === null ? "" : h("span", { class: "confidence" }, `confidence ${details.confidence.toFixed(2)}`);
  return h("section", { class: "sides", "aria-label": details.gold ? "Verdicts" : "Verdict" },
    side(details.gold && "Predicted", details.label, details.justification, confidence),
    details.gold && side("Gold", details.gold.label, details.gold.justification, details.gold.claim_types.map((type) => ` · ${type}`)));
}

function graphSection(details, graph) {
  if (!graph) return null;
  const save = h("button", { type: "button", onclick: () => saveFigure(graph, `claim-${details.claim_id}.svg`) }, "Save as SVG");
  return h("section", {},
    h("div", { class: "graph-head" }, h("h2", {}, "Graph of thoughts"), save),
    h("div", { class: "graph-frame" }, graph),
    h("p", { class: "note" }, "Arrows lead from a thought to those made from it; arrows implied by a longer path are not drawn."));
}

function pairsSection(details) {
  const quotes = quotationsIn(details.justification), quoted = new Set();
  const items = h("ol", { class: "questions" }, details.pairs.map((pair) => pairItem(pair, details.passages, quotes, quoted)));
  const ours = h("div", {}, details.gold && h("h3", {}, "Predicted questions and answers"), items);
  const gold = details.gold && h("div", {}, h("h3", {}, "Gold questions and answers"), h("ol", { class: "questions" }, details.gold.questions.map(goldItem)));
  return h("section", {}, h("h2", {}, details.gold ? "Questions and answers" : "Evidence"), h("div", { class: "sides" }, ours, gold));
}

// A passage that the justification quotes is open; those of further pages are shown once, where they are quoted.
function pairItem(pair, passages, quotes, quoted) {
  const isQuoted = (text) => quotes.some((quote) => exactSpan(text, quote));
  const shown = (text, open, words) => h("details", { class: "passage", open }, h("summary", {}, words), highlighted(text, [pair.answer], quotes));
  const further = passages.filter((one) => pair.urls.includes(one.url) && one.text !== pair.scraped_text && isQuoted(one.text) && !quoted.has(one));
  further.forEach((one) => quoted.add(one));
  return h("li", {}, h("p", { class: "question", dir: "auto" }, pair.question), h("p", { class: "answer", dir: "auto" }, pair.answer),
    [...new Set([pair.url, ...pair.urls])].filter(Boolean).map((url) => h("div", { class: "source" }, address(url))),
    pair.scraped_text && shown(pair.scraped_text, isQuoted(pair.scraped_text), "Passage"),
    further.map((one) => shown(one.text, true, `Quoted from ${site(one.url)}`)));
}

const REACHES = {
  "used": ["used", "used by the prediction"],
  "retrieved, not used": ["unused", "retrieved, not used"],
  "not retrieved": ["lost", "not retrieved"],
  "nothing to find": ["", "nothing to find"],
};

function goldItem(question) {
  return h("li", {}, h("p", { class: "question", dir: "auto" }, question.question), question.answers.map((answer) => {
    const [kind, words] = REACHES[answer.reach];
    return [h("p", { class: "answer", dir: "auto" }, answer.answer),
      h("div", { class: "source" }, h("span", { class: `reach reach-${kind}` }, words), " · ", address(answer.source_url))];
  }));
}
