// Question by question: one row a question, the systems side by side, drawn a piece at a time.

import { counted, el, inBrief, mark, number, whole } from "./dom.js";
import { chosenArea, choice, choose, onChoice } from "./state.js";
import { disagreement, guessOf, labelOfSlice, membersOf, stateOf } from "./data.js";
import { questionCard } from "./question.js";

const PIECE = 100;
/** Paper shows so many rows, the page all of them. */
const ON_PAPER = 60;
const KINDS = ["right", "partly", "wrong", "empty", "failed", "not asked"];
const numeric = new Intl.Collator(undefined, { numeric: true });

export function drawQuestions(data) {
  const table = new QuestionTable(data);
  onChoice((changes) => table.changed(changes));
  return table.made;
}

class QuestionTable {
  constructor(data) {
    this.data = data;
    this.words = data.ids.map((id, at) => [id, data.questions[at], data.gold[at], ...data.answers.map((own) => data.texts[own.given[at]])].join("\n").toLowerCase());
    this.columns = this.makeColumns();
    this.hidden = new Set(this.columns.filter((one) => one.off).map((one) => one.name));
    this.current = [];
    this.drawn = 0;
    this.timer = 0;
    this.build();
    this.fillFromChoices();
    this.update();
  }

  makeColumns() {
    const { data } = this;
    const systems = data.systems.map(({ name }, system) => ({
      name: `system-${system}`, label: name, system,
      key: (at) => data.answers[system].values[at] ?? -1,
      cell: (at) => el("td", { className: "system", "data-name": name, title: `${name}: ${stateOf(data, system, at)}, ${number(data.answers[system].values[at])}` },
        mark(stateOf(data, system, at), guessOf(data, system, at))),
    }));
    const differ = { name: "differ", label: "Difference", title: "How far the systems differ: the highest minus the lowest score", key: (at) => disagreement(data, at),
      cell: (at) => el("td", { className: "differ", "data-name": disagreement(data, at) ? "difference" : null }, disagreement(data, at) ? number(disagreement(data, at)) : "") };
    return [
      { name: "question", label: "Question", key: (at) => data.questions[at], cell: (at) => this.questionCell(at) },
      { name: "id", label: "Id", off: true, key: (at) => data.ids[at], cell: (at) => el("td", { className: "id", "data-name": "id" }, data.ids[at]) },
      ...systems,
      ...(data.systems.length > 1 ? [differ] : []),
      { name: "gold", label: "Gold", off: true, key: (at) => data.gold[at], cell: (at) => el("td", { className: "gold", "data-name": "gold" }, data.gold[at].split("\n").slice(0, 3).join(", ")) },
    ];
  }

  questionCell(at) {
    const text = inBrief(this.data.questions[at]) || this.data.ids[at];
    const button = el("button", { type: "button", className: "plain", dir: "auto", "aria-expanded": String(choice("open") === this.data.ids[at]) }, text);
    button.addEventListener("click", () => choose({ open: choice("open") === this.data.ids[at] ? "" : this.data.ids[at] }));
    return el("td", { className: "question" }, button);
  }

  build() {
    const { data } = this;
    this.search = el("input", { type: "search", id: "search", placeholder: "words of question or answers", autocomplete: "off" });
    this.system = select("system", [["", "any"], ...data.systems.map(({ name }) => [name, name])]);
    this.kind = select("kind", [["", "any"], ...KINDS.map((kind) => [kind, kind]), ["fails", "not wholly right"],
      ...(data.systems.length > 1 ? [["differ", "systems differ"]] : []), ...(data.guessed ? [["guess", "a guess"]] : [])]);
    this.slice = select("slice", [["", "all"], ...sliceOptions(data)]);
    this.shown = el("p", { id: "shown", role: "status", "aria-live": "polite" });
    this.head = el("tr");
    this.body = el("tbody");
    this.more = el("button", { type: "button", id: "more" }, "Show more rows");
    this.more.addEventListener("click", () => this.draw());
    const form = el("form", { id: "filters", className: "filters", role: "search", "aria-label": "Filter the questions" },
      el("label", {}, "Search ", this.search), el("label", {}, "System ", this.system), el("label", {}, "Result ", this.kind),
      el("label", { hidden: this.slice.options.length < 2 }, "Kind of question ", this.slice), el("button", { type: "reset" }, "Clear"), this.columnBoxes());
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => {
      this.hidden = new Set(this.columns.filter((one) => one.off).map((one) => one.name));
      choose({ slice: "", search: "", system: "", kind: "", open: "", sort: "", area: null });
    });
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => choose({ search: this.search.value }), 120);
    });
    for (const name of ["system", "kind", "slice"]) this[name].addEventListener("change", () => choose({ [name]: this[name].value }));
    const many = data.systems.length > 4 ? "many" : "";
    this.table = el("table", { id: "rows", className: many }, el("thead", {}, this.head), this.body);
    this.region = el("div", { className: "scroll tall", id: "rows-region", tabIndex: 0, role: "region", "aria-label": "Questions" }, this.table, this.more);
    this.made = el("div", { className: "question-table" }, form, this.shown, this.region,
      el("p", { className: "paper" }, `On paper the first ${ON_PAPER} rows; the CSV and JSON forms of the report have all.`));
    new IntersectionObserver((seen) => {
      if (seen.some((one) => one.isIntersecting) && this.drawn < this.current.length) this.draw();
    }, { root: this.region, rootMargin: "400px" }).observe(this.more);
    addEventListener("beforeprint", () => [...this.body.rows].forEach((row, at) => row.classList.toggle("off-paper", at >= ON_PAPER)));
  }

  columnBoxes() {
    const boxes = this.columns.filter((one) => one.name !== "question").map((column) => {
      // a reset goes back to the default, so the default must be what is shown at first
      const box = el("input", { type: "checkbox", defaultChecked: !column.off, checked: !column.off });
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(column.name);
        else this.hidden.add(column.name);
        this.update();
      });
      return el("label", {}, box, column.label);
    });
    return el("details", { className: "columns" }, el("summary", {}, "Columns"), el("div", { id: "columns" }, ...boxes));
  }

  fillFromChoices() {
    if (document.activeElement !== this.search) this.search.value = choice("search");
    this.system.value = choice("system");
    this.kind.value = choice("kind");
    const known = [...this.slice.options].some(({ value }) => value === choice("slice"));
    if (!known && choice("slice")) this.slice.append(el("option", { value: choice("slice") }, labelOfSlice(this.data, choice("slice"))));
    this.slice.value = choice("slice");
  }

  changed(changes) {
    this.fillFromChoices();
    if (Object.keys(changes).some((name) => name !== "open" && name !== "colour")) this.update();
    if ("open" in changes) this.showOpen(changes.open);
  }

  /** Choose and order the questions, then draw the first piece. */
  update() {
    const { data } = this;
    const words = choice("search").toLowerCase().split(/\s+/).filter(Boolean);
    const members = membersOf(data, choice("slice"));
    const inside = members === null ? null : new Set(members);
    const area = chosenArea();
    this.current = data.ids.map((_, at) => at).filter((at) =>
      (inside === null || inside.has(at)) && (area === null || area.has(at)) && this.isOfKind(at)
      && words.every((word) => this.words[at].includes(word)));
    const [name, down] = choice("sort").split(" ");
    const column = this.columns.find((one) => one.name === name);
    if (column !== undefined) {
      const keys = new Map(this.current.map((at) => [at, column.key(at)]));
      const sign = down === "down" ? -1 : 1;
      this.current.sort((a, b) => sign * compareKeys(keys.get(a), keys.get(b)));
    }
    this.drawHead();
    this.body.replaceChildren();
    this.drawn = 0;
    this.region.scrollTop = 0;
    this.draw();
    if (choice("open")) this.showOpen(choice("open"));
  }

  isOfKind(at) {
    const kind = choice("kind");
    if (kind === "") return true;
    if (kind === "differ") return disagreement(this.data, at) > 0;
    const one = this.data.systems.findIndex(({ name }) => name === choice("system"));
    const systems = one >= 0 ? [one] : this.data.systems.map((_, system) => system);
    return systems.some((system) => {
      if (kind === "guess") return guessOf(this.data, system, at) !== undefined;
      const state = stateOf(this.data, system, at);
      return kind === "fails" ? state !== "right" : state === kind;
    });
  }

  shownColumns() {
    return this.columns.filter((one) => !this.hidden.has(one.name));
  }

  drawHead() {
    const [name, down] = choice("sort").split(" ");
    this.head.replaceChildren(...this.shownColumns().map((column) => {
      const button = el("button", { type: "button", title: column.title ?? column.label }, el("span", { dir: "auto" }, column.label));
      button.addEventListener("click", () => this.sortBy(column));
      const sorted = name !== column.name ? "none" : down ? "descending" : "ascending";
      return el("th", { scope: "col", "aria-sort": sorted, "data-column": column.name, className: column.system === undefined ? column.name : "system" }, button);
    }));
  }

  sortBy(column) {
    const up = choice("sort") === column.name;
    choose({ sort: up ? `${column.name} down` : column.name });
    this.head.querySelector(`[data-column="${column.name}"] button`).focus();
  }

  draw() {
    const columns = this.shownColumns();
    const rows = this.current.slice(this.drawn, this.drawn + PIECE).map((at) => el("tr", { "data-at": at }, ...columns.map((one) => one.cell(at))));
    this.body.append(...rows);
    this.drawn = Math.min(this.drawn + PIECE, this.current.length);
    this.more.hidden = this.drawn === this.current.length;
    const what = choice("slice") ? ` · ${labelOfSlice(this.data, choice("slice"))}` : "";
    this.shown.textContent = `${whole(this.current.length)} of ${counted(this.data.ids.length, "question")}${what}`;
  }

  /** Open the row of a question, and close the one that was open. */
  showOpen(id) {
    for (const old of this.body.querySelectorAll(".opened")) old.remove();
    for (const button of this.body.querySelectorAll("[aria-expanded=true]")) button.setAttribute("aria-expanded", "false");
    const at = this.data.ids.indexOf(id);
    if (at < 0 || !this.current.includes(at)) return;
    while (!this.body.querySelector(`[data-at="${at}"]`) && this.drawn < this.current.length) this.draw();
    const row = this.body.querySelector(`[data-at="${at}"]`);
    row.querySelector("button").setAttribute("aria-expanded", "true");
    row.after(el("tr", { className: "opened" }, el("td", { colspan: this.shownColumns().length }, questionCard(this.data, at))));
    this.region.scrollTop = Math.max(0, row.offsetTop - this.head.offsetHeight - 4);
  }
}

function select(id, options) {
  return el("select", { id }, ...options.map(([value, label]) => el("option", { value }, label)));
}

function sliceOptions(data) {
  const spots = data.cards.flatMap((card) => card.spots).map((spot) => [spot.name, `${spot.label} (${spot.n})`]);
  const rows = data.heat.slice(1).map((row) => [row.name, `${row.label} (${row.n})`]);
  return [...new Map([...spots, ...rows])];
}

function compareKeys(a, b) {
  return typeof a === "number" ? a - b : numeric.compare(a, b);
}
