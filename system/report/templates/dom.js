// Elements are made, never parsed: text from claims and pages can only ever become text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) element.append(child instanceof Node ? child : visible(String(child)));
  }
  return element;
}

const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Spells out what would turn the direction of the text around it.
function visible(text) {
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (c) => `‹U+${c.charCodeAt(0).toString(16).toUpperCase()}›`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g, "\ufffd");
}

const SLUGS = {
  "Supported": "supported",
  "Refuted": "refuted",
  "Not Enough Evidence": "not-enough",
  "Conflicting Evidence/Cherrypicking": "conflicting",
};
const slug = (label) => SLUGS[label] ?? "other";
const share = (value) => `${Math.round(100 * value)}%`;

// An address as people read it; only of the web does it become a link. The page of a file is said in words: "a.pdf, page 3".
function address(url) {
  const name = url.replace(/#(page|row)=(\d+)(?:-(\d+))?$/, (_, part, first, last) => `, ${part}${last ? `s ${first}–${last}` : ` ${first}`}`);
  if (!/^https?:\/\//i.test(url)) return h("bdi", {}, name || "no address");
  return h("a", { href: url, rel: "noreferrer noopener", target: "_blank", dir: "auto" }, name);
}

function site(url) {
  try {
    const inner = url.replace(/^https?:\/\/web\.archive\.org\/web\/[^/]*\//i, "");
    return new URL(inner).hostname.replace(/^www\./, "") || url;
  } catch {
    return url;
  }
}

const inSeconds = (value) => `${value < 0.95 ? value.toFixed(2) : value.toFixed(1)} s`;
