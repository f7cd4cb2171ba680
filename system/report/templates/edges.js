// Which edges are drawn, and how: around the cards, never across them. An edge that a longer path implies is not drawn,
// as the figure says below it.

function drawnEdges(thoughts) {
  const ancestors = new Map();
  const edges = [];
  for (const thought of thoughts) {
    const implied = new Set(thought.parents.flatMap((id) => [...(ancestors.get(id) ?? [])]));
    ancestors.set(thought.id, new Set([...implied, ...thought.parents]));
    for (const parent of new Set(thought.parents)) {
      if (!implied.has(parent)) edges.push({ from: parent, to: thought.id });
    }
  }
  return edges;
}

function route(edge, plan, arrivals) {
  const from = plan.nodes.get(edge.from), to = plan.nodes.get(edge.to);
  if (!from || !to) return null;
  if (to.thought.kind === "verification") return null; // it stands right under its answer
  if (from.thought.kind === "claim" && stackedOn(to, plan).length) return beside(from, to, plan);
  if (from.column === null && to.column === null && from.thought.kind !== "claim") return down(from, to, arrivals);
  if (from.column === to.column) return within(from, to, plan);
  if (to.thought.kind === "pruned") return null; // its text names the other question
  if (from.column !== null && to.column === null) return leave(from, to, plan, arrivals);
  return down(from, to, arrivals);
}

function within(from, to, plan) {
  if (to.x > from.x + from.width) return across(from, to);
  if (to.thought.kind === "evidence" && to.x > from.x) return railLeft(from, to);
  if (from.x + from.width < to.x + to.width) return railRight(from, to);
  return nothingBetween(from, to, plan) ? straight(from, to) : outside(from, to);
}

const center = (node) => node.x + node.width / 2;
const half = (node) => node.y + node.height / 2;
const foot = (node) => node.y + node.height;

const across = (from, to) => `M${from.x + from.width},${to.y + 14} H${to.x - 5}`;

function straight(from, to) {
  const x = Math.max(from.x, to.x) + Math.min(from.width, to.width) / 2;
  return `M${x},${foot(from)} V${to.y - 5}`;
}

function railLeft(from, to) {
  const x = from.x + 4, y = to.y + 14;
  return `M${x},${foot(from)} V${y - 5} Q${x},${y} ${x + 5},${y} H${to.x - 5}`;
}

function railRight(from, to) {
  const x = to.x + to.width - 4, y = from.y + 14;
  return `M${from.x + from.width},${y} H${x - 5} Q${x},${y} ${x},${y + 5} V${to.y - 5}`;
}

// Past the cards between two that are as wide as the column: beside it.
function outside(from, to) {
  const right = from.x + from.width, x = right + 9, y = half(to);
  return `M${right},${half(from)} H${x - 5} Q${x},${half(from)} ${x},${half(from) + 5} V${y - 5} Q${x},${y} ${x - 4},${y} H${right + 5}`;
}

// From the claim to a card with others above it in its column: down the left side of the column.
function beside(from, to, plan) {
  const start = center(from), x = to.x - 14, y = to.y + 14;
  const top = Math.min(...stackedOn(to, plan).map((n) => n.y)), bend = (top - foot(from)) * 0.6;
  return `M${start},${foot(from)} C${start},${foot(from) + bend} ${x},${top - bend} ${x},${top} V${y - 5} Q${x},${y} ${x + 5},${y} H${to.x - 5}`;
}

const stackedOn = (node, plan) => [...plan.nodes.values()].filter((n) => n.column !== null && n.column === node.column && n.y < node.y);

function nothingBetween(from, to, plan) {
  return ![...plan.nodes.values()].some((n) => n.column === from.column && n.y > from.y && n.y < to.y && n !== to);
}

// From a column to what the branches share: down from the last of the column, around the others, and beside what the
// branches share already if the target stands further below.
function leave(from, to, plan, arrivals) {
  const nodes = [...plan.nodes.values()];
  const last = !nodes.some((n) => n.column === from.column && n.y >= foot(from));
  const shared = nodes.filter((n) => n.column === null && n.y > plan.columnsBottom && n.y < to.y);
  if (shared.length) return around(from, to, plan, shared, arrivals);
  const bottom = plan.columnsBottom, end = arrive(from, to, arrivals), y = from.y + 14;
  const x = last ? center(from) : from.x + from.width + SIZE.gutter / 2;
  const out = last ? `M${x},${foot(from)}` : `M${from.x + from.width},${y} H${x - 5} Q${x},${y} ${x},${y + 5}`;
  return `${out} V${bottom} C${x},${bottom + 30} ${end},${to.y - 34} ${end},${to.y - 5}`;
}

function around(from, to, plan, shared, arrivals) {
  const left = center(from) < center(to);
  const lane = 16 + 8 * (arrivals.get(to.thought.id) ?? []).filter((n) => n.column !== null && center(n) < center(to) === left).indexOf(from);
  const x = left ? Math.min(...shared.map((n) => n.x)) - lane : Math.max(...shared.map((n) => n.x + n.width)) + lane;
  const y = half(to) + (left ? 1 : -1), start = center(from), bend = plan.columnsBottom + 6;
  return `M${start},${foot(from)} V${bend - 2} C${start},${bend + 24} ${x},${bend + 4} ${x},${bend + 34} V${y - 6} Q${x},${y} ${x + (left ? 6 : -6)},${y} H${left ? to.x - 5 : to.x + to.width + 5}`;
}

function down(from, to, arrivals) {
  const start = center(from), end = arrive(from, to, arrivals);
  if (to.y < foot(from)) { // beside each other
    const y = Math.min(half(from), half(to)), right = to.x > from.x;
    return `M${right ? from.x + from.width : from.x},${y} H${right ? to.x - 5 : to.x + to.width + 5}`;
  }
  const bend = Math.min(60, (to.y - foot(from)) * 0.6);
  return `M${start},${foot(from)} C${start},${foot(from) + bend} ${end},${to.y - bend} ${end},${to.y - 5}`;
}

// Edges that arrive at one thought from several sides spread over its upper edge.
function arrive(from, to, arrivals) {
  const sources = arrivals.get(to.thought.id) ?? [from];
  const place = (sources.indexOf(from) + 1) / (sources.length + 1);
  return sources.length > 1 ? to.x + to.width * (0.15 + 0.7 * place) : center(to);
}

function arrivalsOf(edges, plan) {
  const arrivals = new Map();
  for (const { from, to } of edges) {
    const source = plan.nodes.get(from);
    if (source) arrivals.set(to, [...(arrivals.get(to) ?? []), source]);
  }
  for (const sources of arrivals.values()) sources.sort((a, b) => center(a) - center(b));
  return arrivals;
}
