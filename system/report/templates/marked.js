// Opens the evidence of a statement beside the text, by click or key, without moving the text. The service's page puts
// the text in anew while it is checked; what is open, and which verdict is shown, outlive that.

const byId = (id) => document.getElementById(id);
const claims = () => [...document.querySelectorAll("#text .claim")];
const note = (claim) => byId(claim.hash.slice(1));
let currentId = ""; // of the statement that is open
let shown = ""; // the verdict that alone is shown
const current = () => (currentId ? byId(currentId) : null);

function open(claim, { scroll = false } = {}) {
  close();
  currentId = claim.id;
  mark(claim);
  byId("evidence").scrollTop = 0;
  claim.focus({ preventScroll: true });
  claim.scrollIntoView({ block: scroll ? "center" : "nearest" });
  history.replaceState(null, "", `#${claim.id}`);
}

function mark(claim) {
  claim.classList.add("current");
  claim.setAttribute("aria-expanded", "true");
  note(claim).classList.add("open");
}

function close() {
  const claim = current();
  if (!claim) return;
  claim.classList.remove("current");
  claim.setAttribute("aria-expanded", "false");
  note(claim).classList.remove("open");
  currentId = "";
  history.replaceState(null, "", location.pathname + location.search);
}

// The statement after the current one, or before it, among those that are wanted; around the end.
function step(by, wanted = claims()) {
  if (!wanted.length) return;
  const all = claims();
  const at = currentId ? all.indexOf(current()) : by > 0 ? -1 : all.length;
  const order = by > 0 ? wanted : [...wanted].reverse();
  open(order.find((claim) => by * (all.indexOf(claim) - at) > 0) ?? order[0], { scroll: true });
}

function show() {
  for (const button of document.querySelectorAll(".count")) button.setAttribute("aria-pressed", String(button.dataset.style === shown));
  byId("text").classList.toggle("only", Boolean(shown));
  for (const claim of claims()) claim.classList.toggle("shown", claim.dataset.style === shown);
}

// Makes a text that was put into the page ready to be used.
function prepare() {
  byId("evidence")?.classList.add("live");
  for (const claim of claims()) {
    claim.setAttribute("aria-expanded", "false");
    claim.setAttribute("aria-controls", claim.hash.slice(1));
  }
  if (shown) show();
  if (current()) mark(current());
}

document.addEventListener("click", (event) => {
  const claim = event.target.closest("#text .claim");
  const button = event.target.closest(".count");
  if (claim) {
    event.preventDefault();
    if (claim.id === currentId) close();
    else open(claim);
  } else if (event.target.closest("#evidence .close")) {
    event.preventDefault();
    const left = current();
    close();
    left?.focus();
  } else if (button) {
    shown = shown === button.dataset.style ? "" : button.dataset.style;
    show();
    if (shown) claims().find((one) => one.dataset.style === shown)?.scrollIntoView({ block: "center" });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "r") step(1, claims().filter((claim) => claim.dataset.style === "refuted"));
  else if (event.key === "Escape") close();
});

prepare();
const wanted = claims().find((claim) => claim.hash === location.hash || `#${claim.id}` === location.hash);
if (wanted) open(wanted, { scroll: true });
