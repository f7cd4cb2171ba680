// The graph of a claim as an SVG that can be walked with the arrow keys and saved as a figure. Presentation attributes
// hold the colors of print; the page's style sheet overrides them by class.

const SMALLEST = 0.75; // the scale under which a graph is no longer made to fit, but scrolls
const PRINT = { ink: "#1f2328", muted: "#6a6f76", rule: "#b9bdc2", paper: "#ffffff", tint: "#f1f3f1" };
const WARNING = "#a93a37";
const TONES = { "supported": "#2a7555", "refuted": "#a93a37", "not-enough": "#5d697b", "conflicting": "#8f6410" };
const KINDS = {
  "claim": { stroke: PRINT.ink, "stroke-width": 1.4 },
  "question": { fill: PRINT.tint, stroke: PRINT.tint },
  "merged answer": { stroke: PRINT.muted },
};

function drawGraph(details, open) {
  const plan = layout(details);
  const edges = drawnEdges(details.thoughts);
  const arrivals = arrivalsOf(edges, plan);
  const arrow = s("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 1, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto" },
    s("path", { class: "arrow", d: "M0,0.6 L5.2,3 L0,5.4 Z", fill: PRINT.muted }));
  const lines = edges.map((edge) => drawEdge(edge, route(edge, plan, arrivals))).filter(Boolean);
  const nodes = [...plan.nodes.values()].map((node) => drawNode(node, open));
  const graph = s("svg", {
    class: "graph", viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height,
    "font-family": FONT.replaceAll('"', "'"), role: "group", "aria-label": `Graph of ${nodes.length} thoughts`,
  }, s("defs", {}, arrow), s("g", {}, lines), s("g", {}, nodes));
  graph.style.minWidth = `${SMALLEST * plan.width}px`;
  walkable(graph, plan);
  return graph;
}

function drawEdge(edge, d) {
  return d && s("path", {
    class: "edge", d, "data-from": edge.from, "data-to": edge.to,
    fill: "none", stroke: PRINT.muted, "stroke-width": 1, "marker-end": "url(#arrow)",
  });
}

function drawNode(node, open) {
  const { thought, warning, x, y, width, height } = node;
  const { heading, text, leaning, minor } = thought.summary;
  const tone = TONES[leaning && slug(leaning)];
  const left = x + SIZE.pad + (tone ? 4 : 0);
  const dashed = minor ? { "stroke-dasharray": "3 3" } : {};
  const ink = minor ? PRINT.muted : PRINT.ink;
  return s("g", {
    class: `node kind-${thought.kind.replaceAll(" ", "-")} ${leaning ? slug(leaning) : ""} ${minor ? "minor" : ""}`,
    role: "button", tabindex: -1, "data-id": thought.id, "aria-label": [heading, warning, visible(text)].filter(Boolean).join(": "),
    onclick: () => open(thought.id),
    onkeydown: (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), open(thought.id)),
  },
  s("rect", { class: "box", x, y, width, height, rx: 3, fill: PRINT.paper, stroke: PRINT.rule, ...KINDS[thought.kind], ...dashed }),
  tone && s("rect", { class: "bar", x, y, width: 4, height, rx: 1.5, fill: tone }),
  s("text", { class: "tag-text", x: left, y: y + SIZE.pad + 7, "font-size": 8.5, "letter-spacing": 0.5, fill: tone ?? PRINT.muted, "font-weight": tone ? 700 : 400 }, node.tag),
  node.lines.map((line, number) => s("text", {
    x: left, y: y + SIZE.pad + SIZE.tag + node.size - 3 + node.step * number, "font-size": node.size, fill: ink,
    "font-weight": weightOf(thought),
  }, line)),
  warning && s("text", { class: "warning-text", x: left, y: y + height - SIZE.pad, "font-size": 10.5, fill: WARNING, "font-weight": 700 }, warning));
}

// One stop for the tabulator. Up and down go to what a thought was made from and what was made of it, left and right to
// what stands beside it.
function walkable(graph, plan) {
  const nodes = [...graph.querySelectorAll(".node")];
  nodes[0]?.setAttribute("tabindex", 0);
  graph.addEventListener("keydown", (event) => {
    const here = plan.nodes.get(document.activeElement?.dataset.id);
    const next = here && neighbor(here, event.key, [...plan.nodes.values()]);
    if (!next) return;
    event.preventDefault();
    const target = nodes.find((node) => node.dataset.id === next.thought.id);
    nodes.forEach((node) => node.setAttribute("tabindex", node === target ? 0 : -1));
    target.focus();
  });
}

function neighbor(here, key, nodes) {
  if (key === "ArrowUp") return nodes.find((node) => node.thought.id === here.thought.parents[0]);
  if (key === "ArrowDown") return nodes.find((node) => node.thought.parents.includes(here.thought.id));
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const ahead = (node) => side * (center(node) - center(here));
  const level = nodes.filter((node) => ahead(node) > 0 && node.y < foot(here) && foot(node) > here.y);
  return level.sort((a, b) => ahead(a) - ahead(b))[0];
}

// Shows what a thought was made from and what was made of it.
function trace(graph, thoughts, id) {
  const kin = new Set([id]);
  for (const thought of thoughts.toReversed()) if (kin.has(thought.id)) thought.parents.forEach((parent) => kin.add(parent));
  const after = new Set([id]);
  for (const thought of thoughts) if (thought.parents.some((parent) => after.has(parent))) after.add(thought.id);
  after.forEach((one) => kin.add(one));
  graph.classList.add("tracing");
  for (const node of graph.querySelectorAll(".node")) {
    node.classList.toggle("traced", kin.has(node.dataset.id));
    node.classList.toggle("open", node.dataset.id === id);
  }
  for (const edge of graph.querySelectorAll(".edge")) edge.classList.toggle("traced", kin.has(edge.dataset.from) && kin.has(edge.dataset.to));
}

function untrace(graph) {
  graph.classList.remove("tracing");
  graph.querySelector(".open")?.classList.remove("open");
}

function saveFigure(graph, name) {
  const copy = graph.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  for (const element of [copy, ...copy.querySelectorAll("*")]) {
    for (const attribute of ["class", "tabindex", "role", "data-id", "data-from", "data-to", "aria-label"]) element.removeAttribute(attribute);
  }
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
