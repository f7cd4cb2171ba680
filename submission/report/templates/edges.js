// Which edges are drawn, and how. An edge that a longer path implies is left out, as the figure says below it.

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
  const sameColumn = from.column !== null && from.column === to.column;
  if (sameColumn && to.x > from.x + from.width) return across(from, to);
  if (sameColumn && to.thought.kind === "evidence") return railLeft(from, to);
  if (sameColumn) return nothingBetween(from, to, plan) ? straight(from, to) : railRight(from, to);
  if (to.thought.kind === "pruned") return aside(from, to);
  if (from.column !== null && to.column === null) return leave(from, to, plan, arrivals);
  return down(from, to, arrivals);
}

const centre = (node) => node.x + node.width / 2;
const half = (node) => node.y + node.height / 2;
const foot = (node) => node.y + node.height;

const across = (from, to) => `M${from.x + from.width},${to.y + 14} H${to.x - 5}`;
const aside = (from, to) => `M${centre(from)},${foot(from)} C${centre(from)},${foot(from) + 40} ${centre(to)},${to.y - 40} ${centre(to)},${to.y - 5}`;

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
  if (from.x + from.width > x) return `M${x},${foot(from)} V${to.y - 5}`;
  return `M${from.x + from.width},${y} H${x - 5} Q${x},${y} ${x},${y + 5} V${to.y - 5}`;
}

function nothingBetween(from, to, plan) {
  return ![...plan.nodes.values()].some((n) => n.column === from.column && n.y > from.y && n.y < to.y && n !== to);
}

// From a column to what the branches share: straight down from the last of the column, around the others.
function leave(from, to, plan, arrivals) {
  const last = ![...plan.nodes.values()].some((n) => n.column === from.column && n.y >= foot(from));
  if (last) return down(from, to, arrivals);
  const x = from.x + from.width + SIZE.gutter / 2, bottom = plan.columnsBottom, y = from.y + 14;
  const end = arrive(from, to, arrivals);
  return `M${from.x + from.width},${y} H${x - 5} Q${x},${y} ${x},${y + 5} V${bottom} C${x},${bottom + 30} ${end},${to.y - 34} ${end},${to.y - 5}`;
}

function down(from, to, arrivals) {
  const start = centre(from), end = arrive(from, to, arrivals);
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
  return sources.length > 1 ? to.x + to.width * (0.15 + 0.7 * place) : centre(to);
}

function arrivalsOf(edges, plan) {
  const arrivals = new Map();
  for (const { from, to } of edges) {
    const source = plan.nodes.get(from);
    if (source) arrivals.set(to, [...(arrivals.get(to) ?? []), source]);
  }
  for (const sources of arrivals.values()) sources.sort((a, b) => centre(a) - centre(b));
  return arrivals;
}
