// The quoted passage in its chunk: the quote itself, or the sentence that has the most words in common with it.

const NEAR = 0.4; // share of an answer's words that a sentence must hold to be called its nearest

// Of answers, the nearest sentence will do; quotations are marked only where they stand.
function spansOf(chunk, answers, quotations) {
  const spans = quotations.map((quote) => exactSpan(chunk, quote)).filter(Boolean).map((span) => ({ ...span, near: false }));
  for (const answer of answers) {
    const exact = exactSpan(chunk, answer);
    if (exact) spans.push({ ...exact, near: false });
    else {
      const near = nearestSentence(chunk, answer);
      if (near) spans.push({ ...near, near: true });
    }
  }
  return spans.sort((a, b) => a.start - b.start || b.end - a.end);
}

// What a text quotes, between quotation marks, without what stands at its ends.
function quotationsIn(text) {
  return [...(text ?? "").matchAll(/“([^“”]+)”|"([^"]+)"/g)].map((match) => (match[1] ?? match[2]).replace(/^[\s….]+|[\s….,;:]+$/g, "")).filter(Boolean);
}

function exactSpan(chunk, quote) {
  const pattern = quote.trim().split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const match = pattern && new RegExp(pattern, "iu").exec(chunk);
  return match ? { start: match.index, end: match.index + match[0].length } : null;
}

function nearestSentence(chunk, quote) {
  const wanted = wordsOf(quote);
  let best = null, most = Math.max(2, NEAR * wanted.size);
  for (const { segment, index } of new Intl.Segmenter("en", { granularity: "sentence" }).segment(chunk)) {
    const common = [...wordsOf(segment)].filter((word) => wanted.has(word)).length;
    if (common >= most) [best, most] = [{ start: index, end: index + segment.trimEnd().length }, common + 1];
  }
  return best;
}

const wordsOf = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}|\p{N}+/gu) ?? []);

function highlighted(chunk, answers, quotations = []) {
  const parts = [];
  let end = 0;
  for (const span of spansOf(chunk, answers, quotations)) {
    if (span.start < end) continue;
    parts.push(chunk.slice(end, span.start));
    parts.push(h("mark", span.near ? { class: "near", title: "nearest sentence" } : {}, chunk.slice(span.start, span.end)));
    end = span.end;
  }
  return h("p", { class: "quote", dir: "auto" }, parts, chunk.slice(end));
}
