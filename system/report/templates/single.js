// The page of one claim: its view, and nothing around it.

detailsOf("claim").then((details) => {
  document.getElementById("claim-view").replaceChildren(...claimView(details, null).elements.filter(Boolean));
});
