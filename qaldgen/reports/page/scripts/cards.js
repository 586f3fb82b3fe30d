// Where each system is weak: a card a system, of one system a card a weak spot, of five systems and more a table.

import { calledBy, copyButton, counted, el, inBrief, mark, number, whole } from "./dom.js";
import { benchmarkFiles } from "./benchmark.js";
import { choose } from "./state.js";
import { guessOf, stateOf } from "./data.js";

const MOST_CARDS = 4;

export function drawCards(data) {
  if (!data.cards.length) return "";
  if (data.systems.length > MOST_CARDS) return cardsTable(data);
  const cards = data.systems.length === 1 ? cardsOfOne(data, data.cards[0]) : data.cards.map((card) => cardOfSystem(data, card));
  return el("section", { className: `cards of-${cards.length}`, "aria-label": "Weak on" }, ...cards);
}

function nameOf(data, card) {
  return data.systems[card.system].name;
}

function cardsOfOne(data, card) {
  if (!card.spots.length) return [el("article", { className: "card" }, el("h2", { className: "spot-label" }, "Weak spots"), el("p", {}, card.note))];
  return card.spots.map((spot, at) => el("article", { className: "card" },
    el("p", { className: "of" }, at === 0 ? "Weak on" : "also weak on"), ...spotInFull(data, card, spot, "h2")));
}

function cardOfSystem(data, card) {
  const heading = el("p", { className: "of" }, el("b", { dir: "auto" }, nameOf(data, card)), card.spots.length ? " is weak on" : "");
  if (!card.spots.length) return el("article", { className: "card" }, heading, el("p", {}, card.note));
  const [first, ...others] = card.spots;
  return el("article", { className: "card" }, heading, ...spotInFull(data, card, first, "h2"), ...others.map((spot) => spotLine(data, card, spot)));
}

/** A further weak spot in one line, which opens. */
function spotLine(data, card, spot) {
  const line = el("summary", {}, el("span", { className: "line-label", dir: "auto" }, spot.label), " ",
    el("b", { className: "low" }, number(spot.score)), ` here, ${number(spot.elsewhere)} elsewhere`);
  const opened = el("details", { className: "spot" }, line);
  opened.addEventListener("toggle", () => {
    if (opened.open && opened.children.length === 1) opened.append(...spotInFull(data, card, spot, "h3").slice(1));
  });
  return opened;
}

/** How much worse new questions of the kind are to be expected: the gap here flatters the finding. */
function gap(spot) {
  const [expected, low, high] = spot.expected;
  return el("span", { title: `These questions chose the kind because it looks bad, so the gap here is larger than what to expect. corrected p = ${number(spot.p, 4)}` },
    `Expect a gap of ${number(expected)} (${number(low)} to ${number(high)}) on new questions.`);
}

export function spotInFull(data, card, spot, level) {
  const all = [];
  if (spot.estimate && spot.estimate[1] !== null) {
    const what = data.pool ? `estimated for the pool of ${whole(data.pool)}` : "there";
    all.push(`${what}: ${number(spot.estimate[0], 3)} (${data.level} interval ${number(spot.estimate[1], 3)} to ${number(spot.estimate[2], 3)})`);
  }
  all.push(`corrected p = ${number(spot.p, 4)}`);
  const shared = spot.shared.length ? ` Shared with ${spot.shared.join(", ")}.` : "";
  return [
    el(level, { className: "spot-label", dir: "auto", title: spot.name }, spot.label),
    el("p", { className: "figures", title: all.join("\n") },
      el("b", { className: "low" }, number(spot.score)), ` here, ${number(spot.elsewhere)} elsewhere, ${number(spot.overall)} overall. `,
      el("a", { href: "#questions", onclick: (event) => showSlice(event, spot.name, nameOf(data, card)) }, counted(spot.n, "question")),
      `.${shared}`),
    el("p", { className: "verdict" }, gap(spot)),
    ...shadows(spot),
    failedList(data, card, spot),
    benchmarkButtons(data, card, spot),
  ];
}

function showSlice(event, slice, system) {
  event.preventDefault();
  choose({ slice, system, kind: "", search: "", area: null, open: "" });
  document.getElementById("questions").scrollIntoView();
}

/** What is low because of it, or describes nearly the same questions. */
function shadows(spot) {
  return spot.also.length ? [el("p", { className: "also", dir: "auto" }, `also: ${spot.also.join("; ")}`)] : [];
}

function failedList(data, card, spot) {
  const places = spot.failed.map((id) => data.ids.indexOf(id)).filter((at) => at >= 0);
  const items = places.map((at) => el("li", {}, mark(stateOf(data, card.system, at), guessOf(data, card.system, at)), " ",
    el("a", { href: "#questions", dir: "auto", title: inBrief(data.questions[at]), onclick: (event) => openQuestion(event, data, at) }, inBrief(data.questions[at]) || data.ids[at])));
  return el("ul", { className: "fails", "aria-label": "Failed, for example" }, ...items);
}

function openQuestion(event, data, at) {
  event.preventDefault();
  choose({ slice: "", system: "", kind: "", search: "", area: null, open: data.ids[at] });
  document.getElementById("questions").scrollIntoView();
}

/** The questions as a benchmark, or the commands that sample from all of them; a live page samples at once. */
function benchmarkButtons(data, card, spot) {
  if (data.makeBenchmark) {
    const make = el("button", { type: "button", className: "small strong" }, "Make a benchmark of this weakness");
    make.addEventListener("click", () => data.makeBenchmark(nameOf(data, card), spot));
    return el("div", { className: "take" }, make, copyButton("Copy SPARQL", spot.sparql));
  }
  const more = el("details", {}, el("summary", {}, "or sample from the question set"),
    el("p", {}, "These lines save the query, and draw a sample by it:"),
    el("pre", { tabIndex: 0 }, spot.commands.join("\n")), copyButton("Copy commands", spot.script), " ", copyButton("Copy SPARQL", spot.sparql));
  const files = el("div", { className: "commands", hidden: true }, benchmarkFiles(data, nameOf(data, card), spot), more);
  const make = el("button", { type: "button", className: "small strong", "aria-expanded": "false" }, "Make a benchmark");
  make.addEventListener("click", () => {
    files.hidden = !files.hidden;
    make.setAttribute("aria-expanded", String(!files.hidden));
  });
  return el("div", { className: "take" }, make, files);
}

/** The headings of the weak spots of a system in a table of many systems. */
const PLACES = ["Weakest on", "then", "then"];

/** Five systems and more: one row a system, a click opens the card. */
function cardsTable(data) {
  const shown = el("div", { className: "cards of-1 opened", "aria-live": "polite" });
  const head = el("tr", {}, ...["System", ...PLACES].map((word) => el("th", { scope: "col" }, word)));
  const rows = data.cards.map((card) => el("tr", {}, el("th", { scope: "row", dir: "auto", title: nameOf(data, card) }, nameOf(data, card)),
    ...PLACES.map((_, at) => spotCell(data, card, card.spots[at], at, shown))));
  return el("section", { className: "weak-table", "aria-label": "Weak on" },
    el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Weak spots by system" },
      el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows))), shown);
}

function spotCell(data, card, spot, at, shown) {
  if (!spot) return el("td", { className: "none", title: card.note }, at === 0 ? "none stands out" : "");
  const button = el("button", { type: "button", className: "plain" },
    el("span", { className: "line-label", dir: "auto" }, spot.label), " ",
    el("b", { className: "low" }, number(spot.score)), ` vs ${number(spot.elsewhere)}, n ${whole(spot.n)}`);
  button.addEventListener("click", () => shown.replaceChildren(el("article", { className: "card" },
    el("p", { className: "of" }, el("b", { dir: "auto" }, nameOf(data, card)), " is weak on"), ...spotInFull(data, card, spot, "h2"))));
  return el("td", {}, button);
}

export function shortAnswer(value, labels) {
  const first = value.split("\n");
  const named = first.slice(0, 3).map((one) => calledBy(one, labels)).join(", ");
  const cut = named.length > 90 ? `${named.slice(0, 90)}…` : named;
  return first.length > 3 ? `${cut}, …` : cut;
}
