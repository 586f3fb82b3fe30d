"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const store = "qaldgen-labels-" + data.key;
const marks = new Set(data.marks);
let labels = new Map(Object.entries(data.labels));
// What was labelled, the last one at the end. An object would sort ids that are numbers.
let order = data.items.map((item) => item.id).filter((id) => labels.has(id));

// A browser may refuse to keep anything; labelling goes on all the same, and the worksheet can be saved.
try {
  const kept = JSON.parse(localStorage.getItem(store) || "null");
  if (kept) { labels = new Map(kept.labels); order = kept.order; }
} catch (error) { /* nothing was kept */ }

const place = () => data.items.findIndex((item) => !labels.has(item.id));

function keep() {
  try { localStorage.setItem(store, JSON.stringify({labels: [...labels], order})); } catch (error) { /* see above */ }
}

function show() {
  const at = place();
  document.getElementById("progress").textContent = `${labels.size} of ${data.items.length} labelled`;
  document.getElementById("item").hidden = at < 0;
  document.getElementById("done").hidden = at >= 0;
  if (at < 0) return;
  const item = data.items[at];
  document.getElementById("item").replaceChildren(...data.headings.flatMap((heading, column) => {
    const [head, text] = [document.createElement("h2"), document.createElement("p")];
    head.textContent = heading;
    text.textContent = item.shown[column] || "(none)";
    text.dir = "auto";  // passages may be written from right to left
    return [head, text];
  }));
}

function save() {
  const rows = data.items.map((item) => item.before + (labels.get(item.id) || "") + item.after);
  const file = new Blob([data.header + rows.join("")], {type: "text/csv"});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = data.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function press(key) {
  if (key === "w") { save(); return; }
  if (key === "u") {
    const last = order.pop();
    if (last !== undefined) labels.delete(last);
  } else if (marks.has(key)) {
    const at = place();
    if (at < 0) return;
    labels.set(data.items[at].id, key);
    order.push(data.items[at].id);
  } else return;
  keep();
  show();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  press(event.key.toLowerCase());
});
for (const button of document.querySelectorAll("button")) {
  button.addEventListener("click", () => { press(button.dataset.key); button.blur(); });
}
show();
