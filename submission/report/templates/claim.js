// The view of one claim: verdict beside gold, the graph, questions and answers beside the annotators'.

function claimView(details, neighbours) {
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
  return { close, elements: [header(details, neighbours), verdicts(details), graphSection(details, graph), pairsSection(details)] };
}

function header(details, neighbours) {
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
    h("p", { class: "crumbs" }, h("a", { href: "#claims" }, "All claims"), step(neighbours.before, "← Previous"), step(neighbours.after, "Next →")),
    h("p", { class: "tag" }, `Claim ${details.claim_id}`),
    h("h2", { class: "claim-text", tabindex: -1, dir: "auto" }, details.claim),
    h("ul", { class: "facts" }, facts.map(([name, value]) => h("li", {}, `${name} `, h("b", { dir: "auto" }, value)))),
    details.failures.map((failure) => h("p", { class: "failure" }, `${failure.operation} failed: ${failure.message}`)));
}

function verdicts(details) {
  const side = (title, label, reason, more) => h("div", {}, h("h3", {}, title), h("p", { class: "verdict" }, labelled(label), more),
    reason && h("p", { class: "reason", dir: "auto" }, reason));
  const confidence = details.confidence === null ? "" : ` · confidence ${details.confidence.toFixed(2)}`;
  return h("section", { class: "sides", "aria-label": "Verdicts" },
    side("Predicted", details.label, details.justification, confidence),
    details.gold && side("Gold", details.gold.label, details.gold.justification, details.gold.claim_types.map((type) => ` · ${type}`)));
}

function graphSection(details, graph) {
  if (!graph) return null;
  const save = h("button", { type: "button", onclick: () => saveFigure(graph, `claim-${details.claim_id}.svg`) }, "Save as SVG");
  return h("section", {},
    h("div", { class: "graph-head" }, h("h2", {}, "Graph of thoughts"), save),
    h("div", { class: "graph-frame" }, graph),
    h("p", { class: "note" }, "An arrow leads from a thought to one made from it; where a longer path implies an arrow, none is drawn."));
}

function pairsSection(details) {
  const ours = h("div", {}, h("h3", {}, "Predicted questions and answers"), h("ol", { class: "questions" }, details.pairs.map(pairItem)));
  const gold = details.gold && h("div", {}, h("h3", {}, "Gold questions and answers"), h("ol", { class: "questions" }, details.gold.questions.map(goldItem)));
  return h("section", {}, h("h2", {}, "Questions and answers"), h("div", { class: "sides" }, ours, gold));
}

function pairItem(pair) {
  const passage = pair.scraped_text && h("details", { class: "passage" }, h("summary", {}, "passage"), highlighted(pair.scraped_text, [pair.answer]));
  return h("li", {}, h("p", { class: "question", dir: "auto" }, pair.question), h("p", { class: "answer", dir: "auto" }, pair.answer),
    pair.url && h("div", { class: "source" }, address(pair.url)), passage);
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
