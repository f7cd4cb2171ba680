// Where each thought stands. Top to bottom as in the paper's figure 2: the claim, a column for each question explored,
// in a column its evidence with answers, the merged answer and the verdict, then perhaps another question; below the
// columns what all branches share: the debate and the final verdict. A thought's id says under which other it stands.

const SIZE = { column: 296, aside: 190, gutter: 30, evidence: 112, rail: 12, margin: 16, gap: 12, row: 26, wide: 560, pad: 8, line: 13, tag: 13 };
const LINES = { "claim": 4, "question": 3, "evidence": 3, "answer": 4, "reading": 4, "verification": 2, "merged answer": 3, "verdict": 3, "argument": 5, "ruling": 4 };
const SIDES = { affirmative: -1, consultant: -1, instructor: -1, negative: 1, assistant: 1 };

const weightOf = (thought) => (thought.kind === "claim" || thought.kind === "question" ? 600 : 400);
const ruler = document.createElement("canvas").getContext("2d");
const FONT = '"Helvetica Neue", Helvetica, Arial, sans-serif';

function wrap(text, width, most, size = 10.5, weight = 400) {
  ruler.font = `${weight} ${size}px ${FONT}`;
  const fits = (line) => ruler.measureText(line).width <= width;
  const lines = [];
  let line = "";
  for (let word of visible(text).split(/\s+/).filter(Boolean)) {
    while (!fits(word) && word.length > 1) { // an address, or writing without spaces
      let cut = word.length - 1;
      while (cut > 1 && !fits(word.slice(0, cut))) cut -= 1;
      if (line) lines.push(line);
      [line, word] = [word.slice(0, cut), word.slice(cut)];
      if (lines.length > most) break;
      lines.push(line);
      line = "";
    }
    if (line && !fits(`${line} ${word}`)) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
    if (lines.length > most) break;
  }
  if (line) lines.push(line);
  if (lines.length <= most) return lines;
  let last = lines[most - 1];
  while (last && !fits(`${last}…`)) last = last.slice(0, -1);
  return [...lines.slice(0, most - 1), `${last.trimEnd()}…`];
}

function layout(details) {
  const { thoughts } = details;
  const below = childrenById(thoughts);
  const nodes = new Map();
  const place = (thought, x, y, width) => {
    const said = thought.summary, warning = warningOf(thought, details);
    const size = thought.kind === "claim" ? 13 : 10.5;
    const lines = wrap(said.text, width - 2 * SIZE.pad - 4, LINES[thought.kind] ?? 3, size, weightOf(thought));
    const step = thought.kind === "claim" ? 17 : SIZE.line;
    const rows = lines.length + (warning ? 1 : 0);
    const height = 2 * SIZE.pad + SIZE.tag + step * rows - (rows ? 1 : 4);
    const tag = wrap(said.heading.toUpperCase(), (width - 2 * SIZE.pad) / 1.12, 1, 8.5)[0] ?? "";
    const node = { thought, warning, lines, tag, size, step, x, y, width, height, column: null };
    nodes.set(thought.id, node);
    return node;
  };

  const roots = below.get("claim") ?? [];
  const branches = roots.filter((t) => isBranch(t, below));
  const unexplored = roots.filter((t) => t.kind === "question" && !branches.includes(t));
  const trunk = roots.filter((t) => !branches.includes(t) && !unexplored.includes(t));
  const explored = branches.length * (SIZE.column + SIZE.gutter);
  const spread = explored + (unexplored.length ? SIZE.aside : -SIZE.gutter);
  const width = Math.max(spread + 2 * SIZE.margin, SIZE.wide + 180);
  const left = (width - spread) / 2;

  const claim = thoughts[0] && place(thoughts[0], (width - SIZE.wide) / 2, 2, SIZE.wide);
  const top = claim ? claim.y + claim.height + 46 : 0;
  let bottom = top - 46;
  branches.forEach((root, number) => {
    const x = left + number * (SIZE.column + SIZE.gutter);
    bottom = Math.max(bottom, placeColumn(root, { x, width: SIZE.column, number }, top, below, place));
  });
  let y = top;
  for (const question of unexplored) {
    const column = { x: left + explored, width: SIZE.aside, number: branches.length };
    y = placeColumn(question, column, y, below, place) + 10;
  }
  bottom = Math.max(bottom, y - 10);
  const height = placeTrunk(trunk, width, bottom + 50, below, place);
  return { nodes, width, height: Math.max(height, bottom) + 4, columnsBottom: bottom };
}

// What is to be said of a passage that was retrieved, beside its text.
function warningOf(thought, { passages }) {
  return thought.kind === "evidence" && passages[thought.content.passage.ref].suspicious ? "like instructions" : "";
}

function childrenById(thoughts) {
  const below = new Map();
  for (const thought of thoughts.slice(1)) {
    const cut = thought.id.lastIndexOf(".");
    const above = cut < 0 ? "claim" : thought.id.slice(0, cut);
    below.set(above, [...(below.get(above) ?? []), thought]);
  }
  return below;
}

// Whether a thought begins a column: an explored question, or anything else that questions or answers stand under.
function isBranch(thought, below) {
  const under = below.get(thought.id) ?? [];
  return under.some((t) => t.kind !== "pruned") || thought.kind === "evidence";
}

function placeColumn(root, { x, width, number }, top, below, place) {
  let y = top;
  const put = (thought, px, py, wide) => {
    const node = place(thought, px, py, wide);
    node.column = number;
    return node;
  };
  const full = (thought) => {
    const node = put(thought, x, y, width);
    y += node.height + (thought.kind === "question" ? 16 : SIZE.row);
    let afterRow = false;
    for (const child of below.get(thought.id) ?? []) {
      const inRow = isRow(child, below);
      if (afterRow && !inRow) y += 14;
      inRow ? row(child) : full(child);
      afterRow = inRow;
    }
  };
  const row = (evidence) => {
    const node = put(evidence, x + SIZE.rail, y, SIZE.evidence);
    const ax = node.x + node.width + SIZE.gap + 4;
    let ay = y;
    for (const answer of descendants(evidence, below)) {
      const placed = put(answer, ax, ay, x + width - SIZE.rail - ax);
      ay += placed.height + 5;
    }
    y = Math.max(node.y + node.height, ay - 5) + 9;
  };
  full(root);
  return y - SIZE.row;
}

// Evidence with what was read from it beside it; evidence that questions were formed from stands on its own.
const READ = new Set(["answer", "reading", "verification"]);
const isRow = (thought, below) => thought.kind === "evidence" && descendants(thought, below).every((t) => READ.has(t.kind));

const descendants = (thought, below) => (below.get(thought.id) ?? []).flatMap((t) => [t, ...descendants(t, below)]);

// What stands under the columns: debaters on their sides, all else in the middle; what does not build on one another
// shares a row.
function placeTrunk(trunk, width, top, below, place) {
  const box = 300, middle = width / 2;
  let y = top;
  for (const row of trunkRows(trunk.flatMap((t) => [t, ...descendants(t, below)]))) {
    let height = 0;
    row.forEach((thought, number) => {
      const side = SIDES[thought.content.speaker];
      const offset = side ? side * (box / 2 + 22) : (number - (row.length - 1) / 2) * (box + 24);
      const wide = row.length === 1 && !side ? 380 : box;
      height = Math.max(height, place(thought, middle + offset - wide / 2, y, wide).height);
    });
    y += height + 34;
  }
  return y - 34;
}

function trunkRows(thoughts) {
  const rows = [];
  for (const thought of thoughts) {
    const last = rows.at(-1);
    const side = SIDES[thought.content.speaker] ?? 0;
    const opposed = last?.length === 1 && side === 1 && SIDES[last[0].content.speaker] === -1;
    const free = last && last.length < 3 && !side && !last.some((t) => t.content.speaker || thought.parents.includes(t.id));
    if (opposed || free) last.push(thought);
    else rows.push([thought]);
  }
  return rows;
}
