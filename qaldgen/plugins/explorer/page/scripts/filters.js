// The left panel: a histogram for each property, which filter each other, and the SPARQL behind them.

import { copyButton, counted, el } from "/shared/dom.js";
import { ask } from "./server.js";
import { histogram } from "./histogram.js";

/** So many histograms are open at first. */
const FIRST = 6;
/** Histograms out of view are drawn after a pause of so many milliseconds, for so many at a time. */
const PAUSE = 200;
const PIECE = 12;

export class FilterPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.search = el("input", { type: "search", id: "find-feature", placeholder: "search a feature", autocomplete: "off", "aria-label": "Search a feature" });
    this.search.addEventListener("input", () => this.find());
    this.clear = el("button", { type: "button", className: "small", hidden: true }, "Clear all filters");
    this.clear.addEventListener("click", () => { explorer.cross.clear(); explorer.filtered(); });
    this.list = el("div", { className: "features" });
    this.ready = el("select", { id: "ready-query", "aria-label": "Ready-made query" });
    this.ready.addEventListener("change", () => { if (this.ready.value) explorer.setQuery(this.ready.value).then((fine) => fine && explorer.samples.draw()); });
    this.text = el("textarea", { id: "sparql", rows: 14, spellcheck: false, "aria-label": "SPARQL query" });
    this.text.addEventListener("input", () => this.edited());
    this.text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.run(); });
    this.error = el("p", { className: "refused", role: "alert", hidden: true });
    this.go = el("button", { type: "button", className: "small strong", disabled: true, title: "Ctrl + Enter" }, "Run");
    this.go.addEventListener("click", () => this.run());
    this.back = el("button", { type: "button", className: "small", hidden: true }, "Back to the histograms");
    this.back.addEventListener("click", () => this.undo());
    this.copy = el("span");
    this.note = el("p", { className: "hint" });
    this.items = [];
    this.seen = new Set();
    this.watch = new IntersectionObserver((entries) => this.scrolled(entries), { root: this.list, rootMargin: "120px" });
    this.idle = 0;
    this.dirty = false;
    this.turn = 0;
    this.sparql = el("details", { className: "sparql" }, el("summary", {}, "SPARQL"),
      el("div", { className: "tools" }, el("label", {}, "Query ", this.ready)), this.text, this.error,
      el("div", { className: "tools" }, this.go, this.back, this.copy));
    document.getElementById("filters-view").replaceChildren(
      el("div", { className: "tools" }, this.search, this.clear), this.list, this.note, this.sparql);
  }

  /** Draw the list of properties anew; those of the query come first and are open. */
  async poolChanged() {
    const { data, pool } = this.explorer;
    this.ready.replaceChildren(el("option", { value: "" }, "your own"), ...this.explorer.ready.map((name) => el("option", { value: name }, name)));
    this.ready.value = this.explorer.ready.includes(this.explorer.base) ? this.explorer.base : "";
    const places = data.columns.map((_, at) => at);
    const used = new Set(places.filter((at) => isIn(pool.text, data.columns[at].property)));
    const opened = [...places.filter((at) => used.has(at)), ...places.filter((at) => !used.has(at))].slice(0, FIRST);
    const before = new Set(this.items.filter(({ item }) => item.open && this.data === data).map(({ place }) => place));
    this.data = data;
    const open = before.size ? before : new Set(opened);
    await this.explorer.load([...open]);
    this.watch.disconnect();
    this.seen.clear();
    this.items = [...places.filter((at) => used.has(at)), ...places.filter((at) => !used.has(at))].map((place) => this.item(place, open.has(place)));
    this.list.replaceChildren(...this.items.map(({ item }) => item));
    for (const { item } of this.items) this.watch.observe(item);
    this.note.textContent = data.leftOut ? `${counted(data.leftOut, "property", "properties")} without a histogram (texts, names, several values); SPARQL can filter by them.` : "";
    this.find();
    this.dirty = false;
    this.refuse("");
  }

  item(place, open) {
    const column = this.explorer.data.columns[place];
    const mark = el("span", { className: "on", hidden: true }, "filtered");
    const off = el("button", { type: "button", className: "small", hidden: true, "aria-label": `Clear the filter of ${column.label}` }, "Clear");
    off.addEventListener("click", () => this.explorer.filter(place, null));
    const item = el("details", { className: "feature", open }, el("summary", {}, el("span", { dir: "auto" }, column.label), " ", el("small", {}, column.name), mark), off);
    const own = { place, item, mark, off, chart: null, stale: true };
    item.addEventListener("toggle", () => { if (item.open) this.fill(own); });
    if (open) this.fill(own);
    return own;
  }

  async fill(own) {
    if (own.chart !== null) return this.showOne(own);
    try {
      await this.explorer.load([own.place]);
    } catch (error) {
      return this.explorer.fail(error);
    }
    if (own.chart === null) {
      own.chart = histogram(this.explorer.data.columns[own.place], (bins) => this.explorer.filter(own.place, bins));
      own.item.append(own.chart.made);
    }
    return this.showOne(own);
  }

  find() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { place, item } of this.items) {
      const { label, name } = this.explorer.data.columns[place];
      item.hidden = !words.every((word) => `${label} ${name}`.toLowerCase().includes(word));
    }
  }

  showOne(own) {
    const { place, item, chart } = own;
    const { cross, data } = this.explorer;
    if (!item.open || chart === null || !cross.hasColumn(place)) return;
    own.stale = false;
    chart.show(cross.counts(place, data.columns[place].bins.length), cross.filters.get(place)?.bins ?? null);
  }

  /** Draw what is in view at once; the rest when it comes into view, or when nothing else is to be done. */
  show() {
    const { filters } = this.explorer.cross;
    for (const own of this.items) {
      const on = filters.has(own.place);
      own.mark.hidden = !on;
      own.off.hidden = !on;
      if (on) own.item.open = true;
      own.stale = true;
      if (this.seen.has(own.item)) this.showOne(own);
    }
    this.clear.hidden = filters.size === 0;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.catchUp(), PAUSE);
  }

  scrolled(entries) {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.seen.add(target);
      else this.seen.delete(target);
    }
    for (const own of this.items) if (own.stale && this.seen.has(own.item)) this.showOne(own);
  }

  /** Draw what is out of view too, for whoever reads it without looking; a piece at a time, so that dragging goes on. */
  catchUp() {
    const until = performance.now() + PIECE;
    const left = this.items.filter((own) => own.stale && own.item.open && own.chart !== null);
    while (left.length && performance.now() < until) this.showOne(left.shift());
    if (left.length) this.idle = setTimeout(() => this.catchUp(), 0);
  }

  /** Put the query with its filters into the box, unless somebody is editing it. */
  async showQuery() {
    if (this.dirty || this.explorer.pool === null) return;
    const turn = ++this.turn;
    try {
      const { text } = await ask("query", this.explorer.selection());
      if (turn !== this.turn || this.dirty) return;
      this.text.value = text;
      this.copy.replaceChildren(copyButton("Copy", text));
      this.go.disabled = true;
    } catch (error) {
      this.explorer.fail(error);
    }
  }

  edited() {
    this.dirty = true;
    this.go.disabled = false;
    this.back.hidden = false;
    this.list.classList.add("detached");
  }

  attach() {
    this.dirty = false;
    this.back.hidden = true;
    this.list.classList.remove("detached");
    this.refuse("");
  }

  undo() {
    this.attach();
    this.showQuery();
  }

  async run() {
    if (!this.dirty) return;
    const fine = await this.explorer.setQuery(this.text.value);
    if (!fine) return;
    this.attach();
    await this.explorer.samples.draw();
  }

  refuse(words) {
    this.error.textContent = words;
    this.error.hidden = words === "";
    if (words) {
      this.sparql.open = true;
      this.text.setAttribute("aria-invalid", "true");
    } else this.text.removeAttribute("aria-invalid");
  }
}

/** Whether a query names a property, in full or with a prefix. */
function isIn(query, property) {
  if (query.includes(`<${property}>`)) return true;
  const name = property.replace(/^.*[/#]/, "");
  return name !== "" && query.split(/[\s;.(){}]+/).some((word) => word.endsWith(`:${name}`));
}
