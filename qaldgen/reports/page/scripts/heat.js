// Scores by kind of question: a table of coloured cells, all questions first, then the kinds where systems are weakest.

import { colourOf, counted, el, hideTip, inBrief, inkOn, interval, number, scaleLegend, showTip, whole } from "./dom.js";
import { choose } from "./state.js";

/** Below so many questions a score says nothing; below so many rows all are shown at once. */
const FEW = 5;
const FIRST_ROWS = 12;

export function drawHeat(data) {
  const [all, ...slices] = data.heat;
  if (!slices.length) return "";
  const body = el("tbody");
  const more = el("button", { type: "button" });
  const order = el("select", {},
    el("option", { value: "weak" }, "weakest first"), el("option", { value: "feature" }, "by feature"));
  let whole_ = slices.length <= FIRST_ROWS + 3;
  function fill() {
    const sorted = order.value === "weak" ? slices : [...slices].sort((a, b) => data.heat.indexOf(a) - data.heat.indexOf(b))
      .sort((a, b) => a.about.localeCompare(b.about));
    const rows = whole_ || order.value !== "weak" ? sorted : sorted.slice(0, FIRST_ROWS);
    body.replaceChildren(...[all, ...rows].map((row) => heatRow(data, row)));
    body.querySelector("button").tabIndex = 0;
    more.hidden = rows.length === slices.length;
    more.textContent = `Show all ${whole(slices.length)} rows`;
  }
  order.addEventListener("change", fill);
  more.addEventListener("click", () => { whole_ = true; fill(); });
  addEventListener("beforeprint", () => { whole_ = true; fill(); });
  const names = data.systems.map(({ name }) => el("th", { scope: "col" }, el("span", { dir: "auto", title: name }, name)));
  const table = el("table", { className: data.systems.length > 4 ? "heat many" : data.systems.length < 3 ? "heat alone" : "heat" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "questions"), el("th", { scope: "col" }, "n"), ...names)), body);
  body.addEventListener("keydown", (event) => moveInHeat(event, body));
  fill();
  return el("div", { className: "heat-block" },
    el("div", { className: "tools" }, el("label", {}, "Rows ", order), scaleLegend(),
      data.systems.length > 1 ? el("span", { className: "legend" }, el("b", { className: "win" }, "★"), " significantly better than every other") : null),
    el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Table of scores" }, table), more);
}

function heatRow(data, row) {
  const cells = row.cells.map((cell, system) => el("td", {}, heatCell(data, row, cell, system)));
  const label = el("th", { scope: "row" }, el("span", { dir: "auto" }, row.label),
    row.feature ? el("small", { title: row.about }, row.example ? `for example: ${inBrief(data.questions[row.example.at])}` : row.name) : null);
  return el("tr", { className: row.n < FEW ? "few" : row.feature ? "" : "all" }, label, el("td", { className: "n" }, whole(row.n)), ...cells);
}

function heatCell(data, row, cell, system) {
  const [value] = cell;
  const won = row.winner === system;
  const said = interval(cell);
  const about = `${data.systems[system].name}, ${row.label}, ${said ? `${data.level} interval ${said}` : "no interval"}, ${counted(row.n, "question")}`;
  const words = `${number(value)}: ${about}${likeExample(row, system)}`;
  const button = el("button", { type: "button", tabIndex: -1, "aria-label": won ? `${words}, significantly best` : words },
    number(value), won ? el("b", { className: "win", "aria-hidden": "true" }, "★") : null);
  if (row.n >= FEW && value !== null) {
    button.style.backgroundColor = colourOf(value);
    button.style.color = inkOn(value);
  }
  const show = (event) => {
    const box = button.getBoundingClientRect();
    showTip(words, event.clientX ?? box.left, event.clientY ?? box.bottom);
  };
  button.addEventListener("pointermove", show);
  button.addEventListener("focus", show);
  for (const name of ["pointerleave", "blur"]) button.addEventListener(name, hideTip);
  button.addEventListener("click", () => {
    hideTip();
    choose({ slice: row.feature ? row.name : "", system: data.systems[system].name, kind: "", search: "", area: null, open: "" });
    document.getElementById("questions").scrollIntoView();
  });
  return button;
}

/** Whether the example of a cluster speaks for its other questions. */
function likeExample(row, system) {
  const [share, chance] = row.example?.alike[system] ?? [null, null];
  if (share === null) return "";
  const percent = (part) => `${Math.round(part * 100)} %`;
  return `; ${percent(share)} of its other questions are right or wrong as the example is (by chance ${percent(chance)})`;
}

/** Arrows go from cell to cell; one cell takes part in the order of tabs. */
function moveInHeat(event, body) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  if (step === undefined || event.target.tagName !== "BUTTON") return;
  const rows = [...body.rows].map((row) => [...row.querySelectorAll("button")]);
  const at = rows.findIndex((row) => row.includes(event.target));
  const next = rows[at + step[0]]?.[rows[at].indexOf(event.target) + step[1]];
  if (next === undefined) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
