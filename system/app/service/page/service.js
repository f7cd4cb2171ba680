// The service as this page uses it. Every answer that is no success becomes an Error with the service's own words.

let token = ""; // kept in this page alone

async function ask(path, options = {}) {
  const headers = { ...options.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(path, { ...options, headers });
  if (response.ok) return response;
  const { detail } = await response.json().catch(() => ({ detail: "" }));
  throw Object.assign(new Error(detail || `the service answered ${response.status}`), { status: response.status });
}

const submit = async (path, order) => (await ask(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order),
})).json();

const PARTS = ["thought", "text", "statement"]; // events of any other name end a stream

// The events of a claim or a text. An EventSource could send no token, so the stream is read here; where the connection breaks,
// it is taken up again behind the last event that came.
async function* follow(path) {
  for (let last = 0, failures = 0; failures < 5; failures += 1) {
    try {
      const response = await ask(path, { headers: { "Last-Event-ID": last } });
      for await (const event of events(response.body)) {
        yield event;
        if (!PARTS.includes(event.name)) return;
        [last, failures] = [Number(event.id), 0];
      }
    } catch (error) {
      if (error.status) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error("the connection to the service is lost");
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = "";;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      if (fields.event) yield { name: fields.event, id: fields.id, data: JSON.parse(fields.data) };
    }
  }
}
