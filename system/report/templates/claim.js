// The view of one claim: verdict beside gold, its evidence beside the annotators', the graph, and last what it cost.

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
  const sections = [header(details, neighbors), verdicts(details), pairsSection(details), graphSection(details, graph), checkedSection(details)];
  return { close, elements: sections };
}

const ABOUT = { claim_date: "said on", speaker: "by", reporting_source: "reported by", original_claim_url: "at", location_ISO_code: "country" };

function header(details, neighbors) {
  const step = (id, words) => id !== undefined && h("a", { href: `#claim-${id}` }, words);
  const about = Object.entries(details.metadata).map(([name, value]) => [ABOUT[name] ?? name.replaceAll("_", " "), value]);
  return h("header", {},
    neighbors && h("p", { class: "crumbs" }, h("a", { href: "#claims" }, "All claims"), step(neighbors.before, "← Previous"), step(neighbors.after, "Next →")),
    h("p", { class: "tag" }, neighbors ? `Claim ${details.claim_id}` : "Claim"),
    h("h2", { class: "claim-text", tabindex: -1, dir: "auto" }, details.claim),
    facts(about));
}

const facts = (pairs) => pairs.length > 0 && h("ul", { class: "facts" }, pairs.map(([name, value]) => h("li", {}, `${name} `, h("b", { dir: "auto" }, value))));

function verdicts(details) {
  const side = (title, label, reason, more) => h("div", {}, title && h("h3", {}, title), h("p", { class: "verdict" }, h("span", { class: `badge badge-${slug(label)}` }, label), more),
    reason && h("p", { class: "reason", dir: "auto" }, reason), title !== "Gold" && correction(details.correction));
  const undecided = details.label === "Not Enough Evidence"; // a confidence belongs to a decision
  const confidence = details.confidence === null || undecided ? "" : h("span", { class: "confidence" }, `confidence ${share(details.confidence)}`);
  return h("section", { class: "sides", "aria-label": details.gold ? "Verdicts" : "Verdict" },
    side(details.gold && "Predicted", details.label, details.justification, confidence),
    details.gold && side("Gold", details.gold.label, details.gold.justification, details.gold.types.map((type) => ` · ${type}`)));
}

const correction = (given) => given && h("p", { class: "correction", dir: "auto" }, h("b", {}, "Corrected: "), given.text);

function graphSection(details, graph) {
  if (!graph) return null;
  const save = h("button", { type: "button", onclick: () => saveFigure(graph, `claim-${details.claim_id}.svg`) }, "Save as SVG");
  return h("section", {},
    h("div", { class: "graph-head" }, h("h2", {}, "Graph of thoughts"), save),
    h("div", { class: "graph-frame" }, graph),
    h("p", { class: "note" }, "Arrows lead from a thought to those made from it; arrows implied by a longer path are not drawn."));
}

function pairsSection(details) {
  const quotes = quotationsIn(details.justification), printed = new Set();
  const items = h("ol", { class: "questions" }, details.pairs.map((pair) => pairItem(pair, details, quotes, printed)));
  const ours = h("div", {}, details.gold && h("h3", {}, "Predicted questions and answers"), items);
  const gold = details.gold && h("div", {}, h("h3", {}, "Gold questions and answers"), h("ol", { class: "questions" }, details.gold.questions.map(goldItem)));
  return h("section", {}, h("h2", {}, details.gold ? "Questions and answers" : "Evidence"), h("div", { class: "sides" }, ours, gold));
}

// Every passage is printed once. One that holds the answer word for word stands for it, the answer marked; one of which
// the verdict quotes all is not repeated.
function pairItem(pair, details, quotes, printed) {
  const isQuoted = (text) => quotes.some((quote) => exactSpan(text, quote));
  const isWhole = (text) => quotes.some((quote) => plain(quote) === plain(text));
  const answersIn = (text) => details.pairs.filter((one) => one.scraped_text === text).map((one) => one.answer);
  const passage = (text) => {
    if (!text) return null;
    if (isWhole(text)) return h("p", { class: "note" }, "Quoted above in full.");
    if (printed.has(text)) return h("p", { class: "note" }, "In a passage above.");
    printed.add(text);
    const quote = highlighted(text, answersIn(text), quotes);
    return isQuoted(text) || exactSpan(text, pair.answer) ? quote : h("details", { class: "passage" }, h("summary", {}, "Passage"), quote);
  };
  const saidThere = isWhole(pair.scraped_text) ? exactSpan(pair.scraped_text, pair.answer) : !printed.has(pair.scraped_text) && exactSpan(pair.scraped_text, pair.answer);
  const further = details.passages.filter((one) => pair.urls.includes(one.url) && one.text !== pair.scraped_text && isQuoted(one.text) && !printed.has(one.text));
  const sources = [{ url: pair.url, text: pair.scraped_text }, ...further];
  const unread = [...new Set(pair.urls)].filter((url) => !sources.some((one) => one.url === url));
  return h("li", {}, h("p", { class: "question", dir: "auto" }, pair.question),
    !saidThere && h("p", { class: "answer", dir: "auto" }, pair.answer),
    sources.map(({ url, text }) => [url && h("div", { class: "source" }, address(url)), passage(text)]),
    unread.map((url) => h("div", { class: "source" }, address(url))));
}

const plain = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).join(" ").replace(/^[\s….]+|[\s….,;:!?]+$/g, "");

// What it cost, and what went wrong on the way: for those who want to know, after all that the verdict rests on.
function checkedSection(details) {
  const { timing, flaws, failures, warnings } = details;
  const known = [
    timing && ["time", inSeconds(timing.seconds)],
    timing && ["of that", Object.entries(timing.stages).map(([name, value]) => `${name} ${inSeconds(value)}`).join(", ")],
    timing?.cut_short && ["time limit", "reached; the verdict rests on what was found until then"],
    timing && ["branches", timing.branches],
    timing && ["rounds of questions", timing.rounds],
    timing && ["calls of the language model", timing.cost.calls],
    timing?.cost.calls > 0 && ["tokens", `${timing.cost.tokens_in} read, ${timing.cost.tokens_out} written`],
    Object.keys(flaws).length && ["passed over in its documents", Object.entries(flaws).map(([name, count]) => `${count} × ${name}`).join(", ")],
  ].filter(Boolean);
  if (!known.length && !failures.length && !warnings.length) return null;
  return h("section", {}, h("h2", {}, "How it was checked"),
    failures.map((failure) => h("p", { class: "failure" }, `Failed: ${failure.operation}: ${failure.message}`)),
    warnings.map((warning) => h("p", { class: "failure", dir: "auto" }, warning)),
    facts(known));
}

function goldItem(question) {
  return h("li", {}, h("p", { class: "question", dir: "auto" }, question.text), question.answers.map((answer) => [
    h("p", { class: "answer", dir: "auto" }, [answer.text, answer.explanation].filter(Boolean).join(" ")),
    h("div", { class: "source" }, address(answer.url))]));
}
