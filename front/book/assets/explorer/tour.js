// A short walk through the page.

"use strict";

function maureyTour({ h }) {
  const PLACES = [
    ["#setting", "Start from a network that is like yours, or drop a file of your own."],
    ["#choosing", "Choose what is bounded, and by which theorems. ✓ is proved, ✗ fails as printed; only what is proved is ever called the smallest."],
    ["#picture", "Every bound against one symbol. Drag the line, or move it with the arrow keys. Where it is hatched, a bound says nothing."],
    ["#sliders", "Your numbers: a slider for a feeling, the field for the exact value. 1/10 and 1e6 are numbers too; so is 1,2,1 where there is one for each layer."],
    ["#answers", "What the bounds say, which is the smallest, what makes it large, and when it says anything."],
    ["#certified", "The curves are doubles. Certify asks Maurey itself, in this page, for digits that are proved."],
  ];
  let at = -1;
  const text = h("p", {}), next = h("button", { type: "button", class: "strong" }, "Next"), end = h("button", { type: "button" }, "Enough");
  const card = h("div", { class: "tour", role: "dialog", "aria-label": "A short tour", hidden: true }, text, h("p", { class: "turns" }, end, next));
  document.body.append(card);

  function mark(n) {
    document.querySelectorAll(".toured").forEach((one) => one.classList.remove("toured"));
    at = n;
    card.hidden = n < 0 || n >= PLACES.length;
    if (card.hidden) return;
    const [selector, words] = PLACES[n], place = document.querySelector(selector);
    place.classList.add("toured");
    place.scrollIntoView({ block: "nearest" });
    text.textContent = `${n + 1} of ${PLACES.length}. ${words}`;
    next.textContent = n + 1 < PLACES.length ? "Next" : "Done";
    next.focus();
  }

  next.addEventListener("click", () => mark(at + 1 < PLACES.length ? at + 1 : -1));
  end.addEventListener("click", () => mark(-1));
  card.addEventListener("keydown", (event) => { if (event.key === "Escape") mark(-1); });
  document.getElementById("tour").addEventListener("click", () => mark(0));
}
