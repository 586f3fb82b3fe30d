// The explorer: what is open and chosen, and the panels that show it.

import { counted, el, whole } from "/shared/dom.js";
import { choice, choose, readAddress } from "/shared/state.js";
import { listen, numberOf, packQuery, readFilters, unpackQuery, writeFilters } from "./address.js";
import { Crossfilter } from "./crossfilter.js";
import { FilterPanel } from "./filters.js";
import { MapPanel } from "./view.js";
import { SamplePanel } from "./sample.js";
import { Tables } from "./tables.js";
import { SetsBar } from "./sets.js";
import { ask, askBytes, Gone } from "./server.js";

/** A pause in the dragging after which the explorer is asked again. */
const PAUSE = 250;

class Explorer {
  constructor(info) {
    this.info = { ...info, open: [] };
    this.ready = info.queries.map(({ name }) => name);
    this.data = null;
    this.pool = null;
    this.sample = null;
    this.screen = null;
    this.base = "";
    this.cross = new Crossfilter(0);
    this.turn = 0;
    this.timer = 0;
    this.frame = 0;
    this.sets = new SetsBar(this);
    this.filters = new FilterPanel(this);
    this.map = new MapPanel(this);
    this.samples = new SamplePanel(this);
    this.tables = new Tables(this);
    put("share", shareButton());
    this.narrowPanels();
  }

  /** On a narrow screen one panel shows at a time. */
  narrowPanels() {
    const names = { filter: "Filter", map: "Map", sample: "Sample", results: "Tables" };
    const buttons = Object.entries(names).map(([name, label]) => {
      const button = el("button", { type: "button", "data-to": name }, label);
      button.addEventListener("click", () => this.showPanel(name));
      return button;
    });
    put("panels", ...buttons);
    this.showPanel("map");
  }

  showPanel(name) {
    document.body.dataset.panel = name;
    for (const button of document.querySelectorAll("#panels button")) {
      button.setAttribute("aria-pressed", String(button.dataset.to === name));
    }
  }

  note(text) {
    put("dropped", text ? el("p", { role: "status" }, text) : "");
  }

  /** Learn which data sets are open; the answer waits for the one that is read at the start. */
  async learnOpen() {
    Object.assign(this.info, await ask("open-sets"));
  }

  /** Open a data set that the explorer has; `fresh` forgets what was chosen for another one. */
  async open(id, { fresh = false } = {}) {
    this.data = await ask("data", { data: id });
    document.documentElement.dataset.ready = "reading";
    if (fresh) choose({ data: id, query: "", filters: "", slice: "", search: "", system: "", kind: "", open: "", colour: "", sort: "", area: null });
    else choose({ data: id });
    this.cross = new Crossfilter(this.data.ids.length);
    this.sample = null;
    this.screen = null;
    this.sets.show();
    const unpacked = choice("query") === "" ? null : await unpackQuery(choice("query"), this.ready);
    if (choice("query") !== "" && unpacked === null) this.note("The query of the address could not be read and was left out.");
    const wanted = choice("filters");
    const asked = await this.setQuery(unpacked ?? this.data.first, { keep: true });
    if (!asked && unpacked !== null) await this.setQuery(this.data.first, { keep: true });
    if (this.pool === null) return;
    await this.restoreFilters(wanted);
    this.samples.fit(this.cross.left().length);
    await this.samples.draw();
    this.tables.runsChanged();
  }

  async restoreFilters(text) {
    const { found, unknown } = readFilters(this.data.columns, text);
    await this.load(found.map(([place]) => place));
    for (const [place, bins] of found) this.cross.filter(place, bins);
    if (unknown.length) this.note(`The address has filters that this data set does not know; they were left out: ${unknown.join("; ")}`);
    if (found.length) this.filtered();
  }

  /** Select by another query: a ready one's name, or its text. False if it was refused. */
  async setQuery(query, { keep = false } = {}) {
    const turn = ++this.turn;
    const { scaling, missing } = this.samples.rules();
    let pool;
    try {
      pool = await ask("pool", { data: this.data.id, query, scaling, missing });
    } catch (error) {
      if (turn === this.turn) this.filters.refuse(error.message);
      return false;
    }
    if (turn !== this.turn) return true;
    this.pool = pool;
    this.base = query;
    this.sample = null;
    this.cross.clear();
    this.cross.setPool(pool.rows);
    choose({ query: query === this.data.first ? "" : await packQuery(query, this.ready), ...(keep ? {} : { filters: "", area: null }) });
    await this.filters.poolChanged();
    this.map.poolChanged();
    this.tables.poolChanged();
    this.filtered({ chosen: !keep });
    return true;
  }

  /** Fetch the columns that are not here yet. */
  async load(places) {
    const wanted = places.filter((place) => !this.cross.hasColumn(place));
    if (!wanted.length) return;
    const size = this.data.ids.length;
    const bytes = await askBytes("columns", { data: this.data.id, columns: wanted });
    wanted.forEach((place, at) => this.cross.setColumn(place, bytes.subarray(at * size, (at + 1) * size)));
  }

  filter(place, bins) {
    if (!this.cross.filter(place, bins)) return this.note("31 filters are set, which is the most; remove one first.");
    this.filtered();
  }

  /** Show what is left: at once on the page, after a pause what the explorer computes. */
  filtered({ chosen = true } = {}) {
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.left = this.cross.left();
        this.filters.show();
        this.map.show();
        this.tables.show();
        this.samples.show();
        this.sayCount();
        document.documentElement.dataset.ready = "yes";
      });
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (chosen) choose({ filters: writeFilters(this.data.columns, this.cross.filters) });
      this.filters.showQuery();
      this.tables.filtersSettled();
    }, PAUSE);
  }

  sayCount() {
    const all = this.data.ids.length;
    const pool = this.cross.rows.length;
    const words = [pool < all ? `${whole(all)} > ${whole(pool)}` : whole(all)];
    if (this.left.length < pool) words.push(` > ${whole(this.left.length)}`);
    put("count", el("b", {}, words.join("")), ` ${this.left.length === 1 ? "question" : "questions"}`);
  }

  /** What is selected, as the explorer is asked for it. */
  selection() {
    return { data: this.data.id, query: this.base, filters: this.cross.asked(this.data.columns), ...this.samples.rules() };
  }

  /** The questions of a weak spot become the selection, and a sample of them is drawn. */
  async makeBenchmark(selection, system, spot) {
    try {
      const { text, n } = await ask("weakness", { ...selection, system, spot: spot.name });
      if (!(await this.setQuery(text))) return;
      this.samples.set({ method: "lpm", size: Math.min(50, n) });
      await this.samples.draw();
      this.samples.say(`A benchmark of ${counted(this.sample.members.length, "question")} of “${spot.label}”, where ${system} is weak. Download it here.`);
      this.showPanel("sample");
      document.getElementById("sample-title").scrollIntoView({ block: "start" });
      document.getElementById("downloads")?.focus();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The lost connection has a banner of its own. */
  fail(error) {
    if (!(error instanceof Gone)) this.note(error.message);
  }
}

function shareButton() {
  const title = "The link keeps data set, query, filters and sample; whoever opens it needs the same data set";
  const own = el("button", { type: "button", className: "small", title }, "Copy link");
  own.addEventListener("click", async () => {
    const done = await navigator.clipboard?.writeText(location.origin + location.pathname + location.hash).then(() => true, () => false);
    own.textContent = done ? "Copied" : "Copy it from the address bar, without the token";
    setTimeout(() => { own.textContent = "Copy link"; }, 1800);
  });
  return own;
}

function put(id, ...made) {
  document.getElementById(id).replaceChildren(...made);
}

async function start() {
  listen();
  const explorer = new Explorer(await ask("start"));
  const { info } = explorer;
  explorer.sets.show();
  explorer.sets.busy(info.reading ? `Reading ${info.reading} …` : "");
  await explorer.learnOpen();
  explorer.sets.busy("");
  const dropped = readAddress(() => true);
  const named = info.open.find(({ id }) => id === choice("data"));
  if (choice("data") && !named) dropped.push(`d=${choice("data")}`);
  explorer.samples.set({ method: choice("method"), size: numberOf("size", 50), seed: numberOf("seed", 0), scaling: choice("scaling"), missing: choice("missing") });
  if (dropped.length) explorer.note(`The address names what is not open here; it was left out: ${dropped.join(", ")}. Drop the file on the page.`);
  const first = named ?? info.open[0];
  explorer.sets.show();
  if (first === undefined) {
    document.documentElement.dataset.ready = "empty";
    return;
  }
  await explorer.open(first.id, { fresh: choice("data") !== "" && !named });
  await explorer.samples.compared;
  await ask("load-methods").catch((error) => explorer.fail(error));
}

addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });
start().catch((error) => {
  document.documentElement.dataset.ready = "failed";
  put("dropped", el("p", { role: "alert" }, error.message));
});
