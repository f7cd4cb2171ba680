// The page of one claim: its view with the evidence before the graph, and nothing around it.

detailsOf("claim").then((details) => {
  const [header, verdict, graph, evidence] = claimView(details, null).elements;
  document.getElementById("claim-view").replaceChildren(...[header, verdict, evidence, graph].filter(Boolean));
});
