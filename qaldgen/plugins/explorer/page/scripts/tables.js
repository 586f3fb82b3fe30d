// Below: the sample and the questions as tables, where systems are weak, the methods compared.

import { counted, el, number, whole } from "/shared/dom.js";
import { choice, chosenArea, choose, countListeners, forgetListeners, onChoice } from "/shared/state.js";
import { drawRanking } from "/shared/ranking.js";
import { drawCards } from "/shared/cards.js";
import { drawHeat } from "/shared/heat.js";
import { drawQuestions } from "/shared/questions.js";
import { ask, Gone } from "./server.js";
import { windowed } from "./rows.js";

/** Systems that the line at the top names. */
const MOST_NAMED = 4;
const SEARCHING = "Searching for weak spots …";
const NAMES = { sample: "Sample", questions: "Questions", weak: "Weak spots", methods: "Compare methods" };

export class Tables {
  constructor(explorer) {
    this.explorer = explorer;
    this.view = document.getElementById("tab-view");
    this.tab = "sample";
    this.turn = 0;
    this.screenKey = "";
    this.calledOff = null;
    this.tabs = Object.entries(NAMES).map(([name, label]) => {
      const button = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "tab-view" }, label);
      button.addEventListener("click", () => this.open(name));
      button.addEventListener("keydown", (event) => this.walk(event, name));
      return [name, button];
    });
    document.getElementById("tabs").replaceChildren(...this.tabs.map(([, button]) => button));
    this.view.setAttribute("role", "tabpanel");
    onChoice((changes) => { if ("area" in changes && this.tab === "questions") this.show(); });
    this.kept = countListeners();
  }

  /** Arrows go from tab to tab. */
  walk(event, name) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const shown = this.tabs.filter(([, button]) => !button.hidden);
    const at = shown.findIndex(([own]) => own === name);
    const [next, button] = shown[(at + step + shown.length) % shown.length];
    this.open(next);
    button.focus();
  }

  open(name) {
    this.tab = name;
    choose({ tab: name === "sample" ? "" : name });
    this.draw();
  }

  poolChanged() {
    const wanted = choice("tab");
    if (wanted in NAMES) this.tab = wanted;
    this.screenKey = "";
    this.draw();
  }

  runsChanged({ show = false } = {}) {
    this.screenKey = "";
    if (show) this.tab = "weak";
    if (!this.explorer.data.runs.length) {
      this.explorer.screen = null;
      this.drawLine(null, false);
      if (this.tab === "weak") this.tab = "sample";
      this.explorer.map.fillColours();
      this.explorer.map.show();
    } else if (!choice("tab") || show) this.tab = "weak";
    this.draw();
  }

  sampleChanged() {
    if (this.tab === "sample" || this.tab === "methods") this.draw();
  }

  filtersSettled() {
    this.loadScreen();
  }

  draw() {
    const { explorer } = this;
    for (const [name, button] of this.tabs) {
      const on = name === this.tab;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      if (name === "weak") button.hidden = !explorer.data?.runs.length;
    }
    this.view.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.table = null;
    forgetListeners(this.kept);
    this.screenDrawn = null;
    if (this.tab === "sample") this.drawSample();
    else if (this.tab === "questions") this.drawAll();
    else if (this.tab === "methods") this.drawMethods();
    this.loadScreen();
  }

  show() {
    if (this.tab === "questions") this.fillAll();
  }

  drawSample() {
    const { sample } = this.explorer;
    if (sample === null) return this.view.replaceChildren(el("p", { className: "hint" }, "No sample is drawn yet."));
    const features = sample.features.map((name, at) => ({ label: name, className: "figure", cell: (row) => short(sample.members[row].values[at]) }));
    const honest = sample.design === "probability" ? [{ label: "drawn with probability", className: "figure", cell: (row) => number(sample.members[row].inclusion, 4) }] : [];
    this.table = windowed("The sample", [
      { label: "Question", className: "text", cell: (row) => this.question(sample.members[row].row) },
      { label: "Cluster", className: "text", cell: (row) => clusterName(sample, sample.members[row].cluster) },
      { label: "Stands for", title: "Share of the pool", className: "figure", cell: (row) => `${number(sample.members[row].weight * 100, 2)} %` },
      ...honest, ...features]);
    this.view.replaceChildren(this.table.made);
    this.table.show(sample.members.length);
    return undefined;
  }

  /** A question as a button that shows it beside the map. */
  question(row) {
    const { data, map } = this.explorer;
    if (row < 0) return "";
    const button = el("button", { type: "button", className: "plain", dir: "auto", title: data.texts[row] }, data.texts[row]);
    button.addEventListener("click", () => {
      map.pin(row);
      this.explorer.showPanel("map");
      document.querySelector("#map-view .pinned").scrollIntoView({ block: "nearest" });
    });
    return button;
  }

  drawAll() {
    const { data } = this.explorer;
    this.search = el("input", { type: "search", id: "find-question", placeholder: "words of a question", autocomplete: "off", "aria-label": "Search the questions" });
    this.search.addEventListener("input", () => this.fillAll());
    this.said = el("span", { role: "status" });
    this.listed = [];
    this.table = windowed("The questions that are left", [
      { label: "Question", className: "text", cell: (at) => this.question(this.listed[at]) },
      { label: "Id", className: "id", cell: (at) => el("span", { title: data.ids[this.listed[at]] }, shortId(data.ids[this.listed[at]])) },
      { label: "In the sample", className: "figure", cell: (at) => (this.explorer.sample?.rows.has(this.listed[at]) ? "yes" : "") }]);
    this.view.replaceChildren(el("div", { className: "tools" }, this.search, this.said), this.table.made);
    this.fillAll();
  }

  fillAll() {
    if (this.table === null || this.explorer.left === undefined) return;
    const { data, left } = this.explorer;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const area = chosenArea();
    this.listed = [...left].filter((row) => (area === null || area.has(row)) && words.every((word) => data.texts[row].toLowerCase().includes(word)));
    this.said.textContent = `${counted(this.listed.length, "question")}${area === null ? "" : " of those drawn around on the map"}`;
    this.table.show(this.listed.length);
  }

  async drawMethods() {
    const { explorer } = this;
    const size = explorer.samples.wanted().size;
    const go = el("button", { type: "button", id: "compare" }, `Compare all methods at ${whole(size)} questions`);
    const place = el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Methods" });
    go.addEventListener("click", async () => {
      go.disabled = true;
      place.replaceChildren(el("p", { className: "hint" }, "Drawing a sample by each method …"));
      try {
        const found = await ask("compare", explorer.samples.wanted());
        place.replaceChildren(methodTable(found), ...found.notes.map((note) => el("p", { className: "hint" }, note)));
      } catch (error) {
        place.replaceChildren(el("p", { className: "refused", role: "alert" }, error.message));
      } finally {
        go.disabled = false;
      }
    });
    this.view.replaceChildren(go, place);
  }

  /** The first screen of the report on what is selected: the ranking at once, weak spots when they are found. */
  async loadScreen() {
    const { explorer } = this;
    if (!explorer.data?.runs.length || explorer.pool === null) return;
    const selection = explorer.selection();
    const key = JSON.stringify([selection, explorer.data.runs]);
    if (key === this.screenKey && explorer.screen) {
      if (this.tab === "weak" && this.screenDrawn !== key) this.drawScreen(selection, this.searching ? SEARCHING : "");
      return;
    }
    const turn = ++this.turn;
    this.calledOff?.abort();
    this.calledOff = new AbortController();
    this.screenKey = key;
    if (this.tab !== "weak") { /* it is drawn when somebody looks */ }
    else if (this.screenDrawn === null) this.view.replaceChildren(el("p", { className: "busy", role: "status" }, "Scoring what is selected …"));
    else this.view.querySelector(".busy")?.replaceChildren("Scoring what is selected …");
    try {
      for (const quick of [true, false]) {
        const screen = await ask("screen", { ...selection, quick }, this.calledOff.signal);
        if (turn !== this.turn) return;
        explorer.screen = screen;
        this.searching = quick;
        explorer.map.fillColours();
        explorer.map.show();
        this.drawLine(screen, quick);
        if (this.tab === "weak") this.drawScreen(selection, quick ? SEARCHING : "");
      }
    } catch (error) {
      if (turn !== this.turn) return;
      this.screenKey = "";
      if (error instanceof Gone) return;  // what is shown stays
      explorer.screen = null;
      this.drawLine(null, false);
      if (this.tab === "weak") this.view.replaceChildren(el("p", { className: "refused", role: "alert" }, error.message));
    }
  }

  /** The first weak spot of each system in one line at the top, whatever else is in view. */
  drawLine(screen, quick) {
    const line = document.getElementById("weak-line");
    const cards = screen?.cards.filter(({ spots }) => spots.length).slice(0, MOST_NAMED) ?? [];
    line.hidden = screen === null;
    if (screen === null) return;
    if (!cards.length) return void line.replaceChildren(quick ? SEARCHING : screen.cards[0]?.note ?? "");
    const parts = cards.flatMap(({ system, spots: [spot] }) => {
      const button = el("button", { type: "button", className: "plain" }, el("b", { dir: "auto" }, screen.systems[system].name), " on ",
        el("b", {}, spot.label), `: ${number(spot.score)}, elsewhere ${number(spot.elsewhere)}`);
      button.addEventListener("click", () => this.showWeak());
      return [button, " "];
    });
    line.replaceChildren("Weak: ", ...parts);
  }

  showWeak() {
    this.open("weak");
    this.explorer.showPanel("results");
    document.getElementById("tabs").scrollIntoView({ block: "start" });
  }

  /** By which rules answers are matched, to be switched; all runs are scored again. */
  matcher(now) {
    const { explorer } = this;
    const { matchers } = explorer.info;
    const options = Object.entries(matchers).map(([name, words]) => el("option", { value: name, title: words }, name));
    const select = el("select", { id: "matcher", title: matchers[now] ?? "" }, ...options);
    select.value = now;
    select.addEventListener("change", async () => {
      select.disabled = true;
      explorer.sets.busy(`Scoring by ${select.value} …`);
      try {
        await ask("match", { data: explorer.data.id, match: select.value });
        this.runsChanged();
      } catch (error) {
        explorer.fail(error);
        select.value = now;
      } finally {
        select.disabled = false;
        explorer.sets.busy("");
      }
    });
    return el("label", { className: "about" }, "An answer is right by the rules ", select);
  }

  drawScreen(selection, busy) {
    const { explorer } = this;
    const data = { ...explorer.screen, makeBenchmark: (system, spot) => explorer.makeBenchmark(selection, system, spot) };
    forgetListeners(this.kept);
    this.screenDrawn = busy ? "quick" : this.screenKey;
    const about = el("p", { className: "about" }, el("b", {}, counted(data.asked, "question")),
      data.guessed ? ` · ${data.guessed}` : "", data.sure ? ` · ${data.sure}` : "", data.unsure && !busy ? ` · ${data.unsure}` : "");
    this.view.replaceChildren(about, this.matcher(data.match), el("div", { id: "ranking" }, drawRanking(data)),
      el("p", { className: "busy", role: "status" }, busy), el("div", { id: "weak" }, drawCards(data)),
      el("h3", {}, "Scores by kind of question"), el("div", { id: "heat" }, drawHeat(data)),
      el("h3", { id: "questions" }, "Question by question"), drawQuestions(data));
  }
}

function methodTable({ columns, rows }) {
  const words = { size: "questions", distinct: "different", diversity: "diversity", similarity_error: "similarity error", mean_distance: "mean distance",
    coverage_radius: "coverage radius", same_vector: "same features", represented: "represented" };
  const head = el("tr", {}, ...["method", ...columns.map((name) => words[name] ?? name)].map((name) => el("th", { scope: "col" }, name)));
  const lines = rows.map(([name, ...values]) => el("tr", {}, el("th", { scope: "row" }, name), ...values.map((value) => el("td", { className: "figure" }, short(value)))));
  return el("table", { className: "methods" }, el("thead", {}, head), el("tbody", {}, ...lines));
}

function clusterName({ clusterNames }, number) {
  const name = clusterNames[number - 1];
  return name ? `${number}: ${name}` : String(number);
}

function short(value) {
  if (value === null || value === undefined) return "–";
  return Number.isInteger(value) ? whole(value) : number(value, 3);
}

function shortId(iri) {
  const last = iri.replace(/[/#]+$/, "").replace(/^.*[/#]/, "");
  return last || iri;
}
