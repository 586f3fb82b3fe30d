"use strict";

// The table of questions: sorted, filtered, and drawn a piece at a time, so that many thousand rows stay quick.

const PIECE = 100;
const CUT = 160;
const LINES = 4;
const COLUMNS = [
  { name: "id", label: "Id", key: (row) => questionOf(row)[0], title: "Id of the question" },
  { name: "question", label: "Question", key: (row) => questionOf(row)[1], long: true, title: "Text of the question" },
  { name: "system", label: "System", key: (row) => data.systems[row[1]], title: "Who answered" },
  { name: "status", label: "Status", key: (row) => row[2], title: "What became of the question" },
  { name: "tp", label: "Right", key: (row) => row[3], number: 0, title: "Right answers (tp)" },
  { name: "fp", label: "Wrong", key: (row) => row[4], number: 0, title: "Wrong answers (fp)" },
  { name: "fn", label: "Missed", key: (row) => row[5], number: 0, title: "Missed answers (fn)" },
  { name: "precision", label: "P", key: (row) => row[6], number: 3, title: "Precision" },
  { name: "recall", label: "R", key: (row) => row[7], number: 3, title: "Recall" },
  { name: "f1", label: "F1", key: (row) => row[8], number: 3, title: "F1" },
  { name: "gold", label: "Gold answers", key: (row) => questionOf(row)[2], long: true, title: "The expected answers" },
  { name: "given", label: "Given answers", key: (row) => row[9], long: true, title: "What the system answered" },
];

const data = JSON.parse(document.getElementById("question-data").textContent);
const collator = new Intl.Collator(undefined, { numeric: true });
const hidden = new Set();
const form = document.getElementById("filters");
const region = document.getElementById("rows-region");
const head = document.querySelector("#rows thead tr");
const body = document.querySelector("#rows tbody");
const shown = document.getElementById("shown");
const more = document.getElementById("more");
let sorted = null;
let descending = false;
let current = [];
let drawn = 0;
let timer = 0;

function questionOf(row) {
  return data.questions[row[0]];
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Say for each row what the search looks at, and for each question whether the systems differ on it. */
function prepare() {
  const seen = new Map();
  for (const row of data.rows) {
    const [id, text, gold] = questionOf(row);
    row.words = `${id}\n${text}\n${gold}\n${row[9]}`.toLowerCase();
    const first = seen.get(row[0]);
    seen.set(row[0], first === undefined || first === row[8] ? row[8] : NaN);
  }
  data.differ = new Set([...seen].filter(([, score]) => Number.isNaN(score)).map(([question]) => question));
}

function scoreIs(row, wanted) {
  if (wanted === "differ") return data.differ.has(row[0]);
  return kindOf(row) === wanted;
}

function kindOf(row) {
  return row[8] >= 1 ? "right" : row[8] > 0 ? "partly" : "wrong";
}

function compare(a, b) {
  if (typeof a === "number") return a - b;
  return collator.compare(a, b);
}

/** Choose and order the rows, then draw the first piece. */
function update() {
  const words = form.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { system, status, score, slice } = form;
  const members = slice.value === "" ? null : new Set(data.slices[slice.value][1]);
  current = data.rows.filter((row) =>
    (system.value === "" || row[1] === Number(system.value)) &&
    (status.value === "" || row[2] === status.value) &&
    (score.value === "" || scoreIs(row, score.value)) &&
    (members === null || members.has(row[0])) &&
    words.every((word) => row.words.includes(word)));
  if (sorted !== null) {
    const key = sorted.key;
    const sign = descending ? -1 : 1;
    current.sort((a, b) => sign * compare(key(a), key(b)));
  }
  body.replaceChildren();
  drawn = 0;
  region.scrollTop = 0;
  draw();
}

function draw() {
  const piece = document.createDocumentFragment();
  for (const row of current.slice(drawn, drawn + PIECE)) piece.append(drawRow(row));
  drawn = Math.min(drawn + PIECE, current.length);
  body.append(piece);
  more.hidden = drawn === current.length;
  const questions = new Set(current.map((row) => row[0])).size;
  const counted = `${questions.toLocaleString("en")} question${questions === 1 ? "" : "s"}`;
  const rows = `${current.length.toLocaleString("en")} of ${data.rows.length.toLocaleString("en")} rows`;
  shown.textContent = `${rows}, ${counted}; the first ${drawn.toLocaleString("en")} are drawn.`;
}

function drawRow(row) {
  const made = element("tr", { className: kindOf(row) });
  for (const column of COLUMNS) {
    if (!hidden.has(column.name)) made.append(drawCell(column, column.key(row)));
  }
  return made;
}

function drawCell(column, value) {
  const cell = element("td", { className: column.name });
  if (column.number !== undefined) {
    cell.classList.add("number");
    cell.textContent = value.toFixed(column.number);
    return cell;
  }
  cell.dir = "auto";
  if (column.long) cell.classList.add("long");
  cell.textContent = column.long ? inShort(value) : value;
  if (cell.textContent !== value) cell.title = value;
  return cell;
}

/** Show IRIs by their last part, and of many or long values the beginning. */
function inShort(value) {
  const lines = value.split("\n").map((line) => /^https?:\/\/\S+[/#][^/#]+$/.test(line) ? line.replace(/^.*[/#]/, "") : line);
  const text = lines.slice(0, LINES).join("\n");
  const cut = text.length > CUT ? `${text.slice(0, CUT)}…` : text;
  return lines.length > LINES ? `${cut}\n…` : cut;
}

function drawHead() {
  head.replaceChildren();
  for (const column of COLUMNS) {
    if (hidden.has(column.name)) continue;
    const button = element("button", { type: "button", title: column.title, onclick: () => sortBy(column) }, column.label);
    const cell = element("th", { scope: "col", className: column.number === undefined ? "" : "number" }, button);
    cell.dataset.column = column.name;
    cell.setAttribute("aria-sort", sorted !== column ? "none" : descending ? "descending" : "ascending");
    head.append(cell);
  }
}

function sortBy(column) {
  descending = sorted === column ? !descending : false;
  sorted = column;
  drawHead();
  head.querySelector(`[data-column="${column.name}"] button`).focus();
  update();
}

function fill(select, values) {
  values.forEach(([value, label]) => select.append(element("option", { value, textContent: label })));
}

function drawColumns() {
  for (const column of COLUMNS) {
    const box = element("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(column.name);
      else hidden.add(column.name);
      drawHead();
      update();
    });
    document.getElementById("columns").append(element("label", { title: column.title }, box, column.label));
  }
}

function showSlice(name) {
  form.reset();
  hidden.clear();
  drawHead();
  form.slice.value = data.slices.findIndex((one) => one[0] === name);
  update();
}

function start() {
  prepare();
  fill(form.system, data.systems.map((name, at) => [at, name]));
  fill(form.status, [...new Set(data.rows.map((row) => row[2]))].map((name) => [name, name]));
  fill(form.slice, data.slices.map(([name, members], at) => [at, `${name} (${members.length})`]));
  form.slice.parentElement.hidden = data.slices.length === 0;
  drawColumns();
  drawHead();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => {
    hidden.clear();
    setTimeout(() => { drawHead(); update(); });
  });
  form.search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(update, 120);
  });
  for (const select of [form.system, form.status, form.score, form.slice]) select.addEventListener("change", update);
  more.addEventListener("click", draw);
  new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting) && drawn < current.length) draw();
  }, { root: region, rootMargin: "400px" }).observe(more);
  for (const link of document.querySelectorAll("[data-slice]")) {
    link.addEventListener("click", () => showSlice(link.dataset.slice));
  }
  window.addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((one) => { one.open = true; }));
  update();
}

start();
