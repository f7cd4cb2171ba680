// The details of a claim lie in the page as compressed JSON, and are read when the claim is opened.

async function detailsOf(id) {
  const packed = document.getElementById(`data-${id}`);
  if (!packed) return null;
  const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
