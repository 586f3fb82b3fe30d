// The right panel: how a sample is drawn, what it is good for, and taking it home.

import { copyButton, counted, el, number } from "/shared/dom.js";
import { choose } from "/shared/state.js";
import { ask, askFile } from "./server.js";

/** What a score on the sample says, by its design. */
const HONEST = {
  probability: "Every question had a known chance to be drawn: a score on this sample, with its interval, is an estimate for all of them.",
  purposive: "Chosen to be diverse: good for a stress test. A score on it does not estimate the score on all questions; lpm and random do.",
};
const FILES = [["turtle", "Turtle"], ["qald-json", "QALD JSON (GERBIL)"], ["csv", "CSV"], ["signature", "Signature"]];

export class SamplePanel {
  constructor(explorer) {
    this.explorer = explorer;
    const { methods, scalings, missing } = explorer.info;
    this.method = chooser("method", methods);
    this.scaling = chooser("scaling", scalings);
    this.missing = chooser("missing", missing);
    this.size = el("input", { type: "number", id: "size", min: 1, step: 1, value: 50 });
    this.seed = el("input", { type: "number", id: "seed", min: 0, step: 1, value: 0 });
    this.about = el("p", { className: "about", id: "method-about" });
    this.method.setAttribute("aria-describedby", "method-about");
    this.go = el("button", { type: "submit", className: "strong", id: "draw" }, "Draw");
    this.error = el("p", { className: "refused", role: "alert", hidden: true });
    this.stale = el("p", { className: "stale", role: "status", hidden: true }, "What is selected has changed since this sample was drawn.");
    this.told = el("p", { className: "told", role: "status" });
    this.found = el("div", { className: "found" });
    this.turn = 0;
    this.compared = Promise.resolve();
    const form = el("form", { className: "draw-form", "aria-label": "Draw a sample" },
      el("label", {}, "Method ", this.method), this.about,
      el("div", { className: "pair" }, el("label", {}, "N ", this.size), el("label", {}, "Seed ", this.seed)),
      el("div", { className: "pair" }, el("label", {}, "Scaling ", this.scaling), el("label", {}, "Missing ", this.missing)), this.go);
    form.addEventListener("submit", (event) => { event.preventDefault(); this.told.textContent = ""; this.draw(); });
    this.method.addEventListener("change", () => this.explain());
    for (const select of [this.scaling, this.missing]) select.addEventListener("change", () => this.rulesChanged());
    document.getElementById("sample-view").replaceChildren(form, this.error, this.stale, this.told, this.found);
    this.method.value = "feasible-exmp";
    this.explain();
  }

  /** Set what is given; what is unknown stays as it is. */
  set(values) {
    for (const [name, value] of Object.entries(values)) {
      const input = this[name];
      if (input.options && ![...input.options].some((option) => option.value === value)) continue;
      if (value !== "") input.value = value;
    }
    this.explain();
  }

  /** Ask for no more questions than there are. */
  fit(most) {
    if (most > 0 && Number(this.size.value) > most) this.size.value = most;
  }

  rules() {
    return { scaling: this.scaling.value, missing: this.missing.value };
  }

  explain() {
    this.about.textContent = sentence(this.explorer.info.methods[this.method.value]);
  }

  async rulesChanged() {
    const { explorer } = this;
    if (explorer.pool === null) return;
    const filters = new Map(explorer.cross.filters);
    if (!(await explorer.setQuery(explorer.base, { keep: true }))) return;
    for (const [place, { bins }] of filters) explorer.cross.filter(place, bins);
    explorer.filtered();
    await this.draw();
  }

  wanted() {
    return { ...this.explorer.selection(), method: this.method.value, size: Number(this.size.value), seed: Number(this.seed.value) };
  }

  say(words) {
    this.told.textContent = words;
  }

  async draw() {
    const { explorer } = this;
    if (explorer.pool === null) return this.refuse("There is nothing to draw from yet: no data set is open.");
    // the last one counts; a button that is disabled meanwhile would swallow Enter in the form
    const turn = ++this.turn;
    const wanted = this.wanted();
    try {
      const sample = await ask("sample", wanted);
      if (turn !== this.turn) return;
      explorer.sample = { ...sample, wanted, rows: new Set(sample.members.map(({ row }) => row)) };
      this.refuse("");
      choose({ method: wanted.method, size: String(wanted.size), seed: String(wanted.seed), scaling: wanted.scaling === "max" ? "" : wanted.scaling, missing: wanted.missing === "drop" ? "" : wanted.missing });
      this.showSample();
      explorer.map.fillColours();
      explorer.map.show();
      explorer.tables.sampleChanged();
      this.compared = this.compareWithRandom(wanted, turn);
    } catch (error) {
      if (turn === this.turn) this.refuse(error.message);
    }
    return undefined;
  }

  refuse(words) {
    this.error.textContent = words;
    this.error.hidden = words === "";
  }

  /** Whether the sample is one of what is selected now. */
  show() {
    const { sample } = this.explorer;
    const same = (one) => JSON.stringify([one.data, one.query, [...one.filters].sort(), one.scaling, one.missing]);
    this.stale.hidden = sample === null || same(sample.wanted) === same(this.explorer.selection());
  }

  showSample() {
    const { sample } = this.explorer;
    this.stale.hidden = true;
    this.diverse = el("p", {}, sample.diversity === null ? "" : `Diversity ${number(sample.diversity, 3)}; comparing with random samples …`);
    const files = FILES.map(([form, label]) => this.fileButton(form, label, sample));
    if (sample.queryFile) files.push(this.fileButton("query", sample.queryFile, sample));
    const commands = sample.commands.join("\n");
    const save = sample.queryFile ? el("p", { className: "hint" }, `Save ${sample.queryFile} beside the data first.`) : null;
    this.found.replaceChildren(
      el("p", {}, el("b", {}, counted(sample.members.length, "question")), ` of ${sample.pool.toLocaleString("en")}. `, HONEST[sample.design]),
      this.diverse,
      el("div", { className: "tools", id: "downloads", tabIndex: -1, role: "group", "aria-label": "Download the benchmark" }, ...files),
      el("details", {}, el("summary", {}, "The same by command"), save,
        el("pre", { id: "command", tabIndex: 0 }, commands), copyButton("Copy", commands),
        el("p", { className: "hint" }, "Signature, which rebuilds the sample:"), el("code", { className: "signature" }, sample.signature)),
      ...(sample.notes.length ? [el("details", {}, el("summary", {}, counted(sample.notes.length, "note")), el("ul", {}, ...sample.notes.map((note) => el("li", { dir: "auto" }, note))))] : []));
  }

  fileButton(form, label, sample) {
    const button = el("button", { type: "button", className: "small", "data-form": form }, label);
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const { name, content } = await askFile("download", { ...sample.wanted, form });
        save(name, content);
        this.refuse("");
      } catch (error) {
        this.refuse(error.message);
      } finally {
        button.disabled = false;
      }
    });
    return button;
  }

  async compareWithRandom(wanted, turn) {
    try {
      const found = await ask("figures", wanted);
      if (turn !== this.turn) return;
      const repeats = found.repeated ? ` ${counted(found.repeated, "question")} of it repeat the features of another.` : "";
      this.diverse.replaceChildren(`${sentence(found.sentence)}${repeats}`);
      this.explorer.tables.figures = found;
    } catch (error) {
      if (turn === this.turn) this.diverse.textContent = error.message;
    }
  }
}

function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

function chooser(id, rows) {
  return el("select", { id }, ...Object.entries(rows).map(([name, about]) => el("option", { value: name, title: about }, name)));
}

function save(name, content) {
  const url = URL.createObjectURL(content);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
