// A thought opened: its text, what it cost, where it comes from, with the quote marked in its page's chunk.

function thoughtPanel(thought, details, actions) {
  const link = (id) => h("button", { type: "button", onclick: () => actions.open(id) }, id);
  const children = details.thoughts.filter((other) => other.parents.includes(thought.id)).map((other) => other.id);
  return [
    h("button", { type: "button", class: "close", onclick: actions.close, "aria-label": "Close this thought" }, "Close"),
    h("p", { class: "tag" }, `${thought.kind} ${thought.id}`),
    h("h2", { tabindex: -1 }, thought.summary.heading),
    bodyOf(thought),
    sourcesOf(thought, details),
    h("h3", {}, "Cost"),
    costTable(thought),
    thought.parents.length > 0 && [h("h3", {}, "Made from"), h("p", {}, spaced(thought.parents.map(link)))],
    children.length > 0 && [h("h3", {}, "Led to"), h("p", {}, spaced(children.map(link)))],
  ];
}

const spaced = (elements) => elements.flatMap((element) => [element, " "]);

// Evidence is its passage, which stands among the sources.
function bodyOf(thought) {
  if (thought.kind === "evidence") return null;
  const main = h("p", { class: "body", dir: "auto" }, thought.summary.text);
  return BODIES[thought.kind]?.(thought.content, main) ?? main;
}

const BODIES = {
  "ruling": (c, main) => [main, ["insight", "gaps"].map((name) => c[name] && [h("h3", {}, name), h("p", { dir: "auto" }, c[name])])],
  "merged answer": (c, main) => [h("p", { class: "question", dir: "auto" }, c.question), main],
  "subclaims": (c) => h("ol", {}, c.subclaims.map((text) => h("li", { dir: "auto" }, text))),
  "claim graph": (c) => [
    h("h3", {}, "Entities"),
    tableOf(["name", "mentioned as", "in subclaims"], c.entities.map((e) => [e.name, e.mentions.join(", "), e.subclaims.join(", ")])),
    h("h3", {}, "Relations"),
    tableOf(["", "", ""], c.relations.map((r) => [r.subject, r.relation, r.object])),
  ],
  "plan": (c) => [
    c.phases.map((phase) => [
      h("h3", {}, `Phase ${phase.id}${phase.depends_on.length ? `, after ${phase.depends_on.join(", ")}` : ""}`),
      h("p", { dir: "auto" }, phase.goal),
      h("ul", {}, phase.steps.map((t) => h("li", { dir: "auto" },
        `Subclaim ${t.subclaim}: ${t.action} by ${t.strategy}, evidence: ${t.evidence_type || "any"}. Search: “${t.query_hint}”.`,
        t.derived_question && ` First answer: “${t.derived_question}”`))),
    ]),
    c.dependencies.length > 0 && [
      h("h3", {}, "Dependencies of subclaims"),
      h("ul", {}, c.dependencies.map((d) => h("li", {}, `${d.kind}: ${d.first}, then ${d.then}`))),
    ],
    h("h3", {}, "Resolution"),
    h("p", { dir: "auto" }, c.resolution),
  ],
};

function tableOf(names, rows) {
  const head = names.some(Boolean) && h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
  return h("table", { class: "parts" }, head, h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell) => h("td", { dir: "auto" }, cell))))));
}

// Numbers of the passages that a thought's content refers to, in order, each once.
function passagesOf(value) {
  if (value == null || typeof value !== "object") return [];
  if (Number.isInteger(value.ref)) return [value.ref];
  return [...new Set(Object.values(value).flatMap(passagesOf))];
}

function sourcesOf(thought, details) {
  return passagesOf(thought.content).map((number) => {
    const passage = details.passages[number];
    return [
      h("h3", {}, "Source"),
      h("div", { class: "source" }, address(passage.url), ` · page ${passage.page} of the store, from character ${passage.start}`),
      passage.suspicious && h("p", { class: "warning" }, "This passage looks like instructions to a machine. Models read it as quoted text only."),
      highlighted(passage.text, quotesFrom(number, thought, details)),
    ];
  });
}

// What was quoted from a passage: by the thought itself, or for evidence by all answers from it.
function quotesFrom(number, thought, details) {
  const isSaid = (answer) => answer.passage?.ref === number && answer.source === "Evidence" && answer.type !== "Unanswerable";
  const own = [thought.content, ...(thought.content.answers ?? [])];
  const made = thought.kind === "evidence" ? details.thoughts.filter((t) => t.parents.includes(thought.id)).map((t) => t.content) : [];
  return [...own, ...made].filter(isSaid).map((answer) => answer.text);
}

function costTable(thought) {
  const cost = thought.cost;
  const rows = [
    ["operation", thought.operation],
    ["seconds", inSeconds(cost.seconds ?? 0)],
    cost.queue_seconds && ["seconds waiting", inSeconds(cost.queue_seconds)],
    cost.decode_seconds && ["seconds writing", inSeconds(cost.decode_seconds)],
    ["model calls", cost.calls ?? 0],
    ["prompt tokens", `${cost.tokens_in ?? 0}${cost.tokens_cached ? `, of those ${cost.tokens_cached} cached` : ""}`],
    ["tokens written", cost.tokens_out ?? 0],
  ];
  return h("table", {}, h("tbody", {}, rows.filter(Boolean).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))));
}
