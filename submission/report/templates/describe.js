// What is said of a thought of each kind: a short tag, its text, a tone, and a warning. Kinds unknown here are shown as they are.

const DESCRIBE = {
  "claim": (c) => ({ tag: "claim", text: c.text }),
  "question": (c, t, { thoughts }) => ({
    tag: thoughts.find(({ id }) => id === t.parents[0])?.kind === "verdict" ? "asked again" : "question",
    text: c.text,
  }),
  "pruned": (c, t) => ({
    tag: "not explored",
    text: t.parents.length > 1 ? `${c.reason} of ${t.parents[1]}, cosine ${c.similarity.toFixed(2)}` : c.reason,
    quiet: true,
  }),
  "evidence": (c, t, { passages }) => {
    const passage = passages[c.passage.ref];
    return { tag: site(passage.url), text: passage.text, warning: passage.suspicious ? "like instructions" : "" };
  },
  "answer": (c) => ({
    tag: c.source === "Metadata" ? `${c.type}, from metadata` : c.type,
    text: c.text,
    quiet: c.type === "Unanswerable",
  }),
  "verification": (c) => ({ tag: c.entailed ? "✓ entailed" : "✗ not entailed", text: c.reason, quiet: !c.entailed }),
  "merged answer": (c) => ({ tag: "merged answer", text: c.answer, quiet: c.answers.length === 0 }),
  "verdict": (c) => ({ tag: `${c.label} · ${c.confidence.toFixed(2)}`, text: c.justification, tone: slug(c.label) }),
  "argument": (c) => ({ tag: `${c.speaker}, round ${c.round}`, text: c.text }),
  "ruling": (c) => ({
    tag: `moderator, round ${c.round}: ${c.decision ?? "another round"}`,
    text: c.reason || c.insight,
    tone: c.decision ? slug(c.decision) : "",
  }),
  "subclaims": (c) => ({ tag: counted(c.subclaims, "subclaim"), text: c.subclaims.map((text, i) => `${i + 1}. ${text}`).join(" ") }),
  "claim graph": (c) => ({
    tag: `claim graph: ${counted(c.entities, "entity", "entities")}, ${counted(c.relations, "relation")}`,
    text: c.relations.length ? c.relations.map(inWords).join("; ") : c.entities.map((entity) => entity.name).join(", "),
  }),
  "plan": (c) => ({
    tag: `plan: ${counted(c.phases, "phase")}`,
    text: c.phases.map((phase) => `${phase.id}. ${phase.goal} (${phase.steps.map((step) => step.query_hint).join("; ")})`).join(" "),
  }),
  "stance": (c) => ({
    tag: `${c.team} agent ${c.agent + 1}, ${c.phase ? `phase ${c.phase}` : "self-correction"}: ${c.position}${c.changed ? ", changed" : ""} · ${c.confidence.toFixed(2)}`,
    text: c.text,
    tone: { SUPPORT: "supported", REFUTE: "refuted" }[c.position],
  }),
  "skipped": (c) => ({ tag: `${c.step} left out`, text: c.reason, quiet: true }),
  "failure": (c) => ({ tag: `${c.operation} failed`, text: c.message }),
};

const counted = (items, one, many = `${one}s`) => `${items.length} ${items.length === 1 ? one : many}`;
const inWords = (relation) => `${relation.subject} — ${relation.relation} → ${relation.object}`;

function describe(thought, details) {
  const known = DESCRIBE[thought.kind]?.(thought.content, thought, details);
  return { tone: "", quiet: false, warning: "", ...(known ?? { tag: thought.kind, text: words(thought.content) }) };
}

// All the words in a content of unknown form.
function words(value) {
  if (value == null || typeof value === "boolean") return "";
  if (Array.isArray(value)) return value.map(words).filter(Boolean).join("; ");
  if (typeof value === "object") return Object.entries(value).filter(([name]) => name !== "ref").map(([, item]) => words(item)).filter(Boolean).join(" · ");
  return String(value);
}

// Numbers of the passages that a thought's content refers to, in order, each once.
function passagesOf(value) {
  if (value == null || typeof value !== "object") return [];
  if (Number.isInteger(value.ref)) return [value.ref];
  return [...new Set(Object.values(value).flatMap(passagesOf))];
}
