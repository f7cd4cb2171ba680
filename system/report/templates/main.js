// What is shown follows the address: "#claim-12" a claim, "#claims?gold=Refuted&is=wrong" the list filtered.

const pageTitle = document.title;
const overview = document.getElementById("overview");
const view = document.getElementById("claim-view");
let current = null; // the claim that is open
let left = 0; // how far the overview was scrolled when it was left

async function show() {
  const hash = decodeURIComponent(location.hash.split("?")[0].slice(1));
  const claim = /^claim-(\d+)$/.exec(hash);
  if (claim) return showClaim(Number(claim[1]));
  closeClaim();
  if (hash === "claims" && location.hash.includes("?")) setFilters(new URLSearchParams(location.hash.split("?")[1]));
  const section = hash && document.getElementById(hash);
  if (section) section.scrollIntoView();
  else scrollTo(0, hash ? left : 0);
}

async function showClaim(id) {
  const details = await detailsOf(id);
  if (!details || location.hash !== `#claim-${id}`) return;
  if (!current) left = scrollY;
  current?.close();
  const ids = shownIds(), here = ids.indexOf(id);
  const neighbors = here < 0 ? {} : { before: ids[here - 1], after: ids[here + 1] };
  current = { id, neighbors, ...claimView(details, neighbors) };
  view.replaceChildren(...current.elements.filter(Boolean));
  overview.hidden = true;
  view.hidden = false;
  document.title = `Claim ${id} · ${document.querySelector("h1").textContent}`;
  scrollTo(0, 0);
  view.querySelector(".claim-text").focus({ preventScroll: true });
}

function closeClaim() {
  if (!current) return;
  const row = document.getElementById(`row-${current.id}`);
  current.close();
  current = null;
  view.hidden = true;
  overview.hidden = false;
  document.title = pageTitle;
  row?.querySelector("a").focus({ preventScroll: true });
}

form.addEventListener("input", () => {
  const wanted = readFilters();
  applyFilters(wanted);
  history.replaceState(null, "", `#claims${wanted.size ? `?${wanted}` : ""}`);
});
form.addEventListener("reset", () => setTimeout(() => form.dispatchEvent(new Event("input"))));
form.addEventListener("submit", (event) => event.preventDefault());

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !current) {
    event.preventDefault();
    form.elements.text.focus();
  } else if (event.key === "Escape" && current && !current.close()) location.hash = "#claims";
  else if (event.key === "j" && current?.neighbors.after !== undefined) location.hash = `#claim-${current.neighbors.after}`;
  else if (event.key === "k" && current?.neighbors.before !== undefined) location.hash = `#claim-${current.neighbors.before}`;
});
addEventListener("hashchange", show);
show();
