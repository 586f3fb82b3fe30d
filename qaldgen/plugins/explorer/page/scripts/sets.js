// Data sets and runs: choosing, dropping, removing.

import { el } from "/shared/dom.js";
import { ask, upload } from "./server.js";

export class SetsBar {
  constructor(explorer) {
    this.explorer = explorer;
    this.select = el("select", { id: "data-set", "aria-label": "Data set" });
    this.select.addEventListener("change", () => this.chosen());
    this.said = el("span", { className: "busy", role: "status", "aria-live": "polite" });
    this.runs = el("span", { className: "runs" });
    document.getElementById("sets").replaceChildren(
      el("label", {}, "Data ", this.select),
      this.picker("Open a file", "data"), this.picker("Add answers", "run"), this.runs, this.said);
    this.listen();
  }

  /** A button that opens a file; dragging a file onto the page does the same. */
  picker(label, what) {
    const input = el("input", { type: "file", className: "unseen", tabIndex: -1, "aria-hidden": "true", id: `file-${what}` });
    const button = el("button", { type: "button", className: "small" }, label);
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", async () => {
      const [file] = input.files;
      input.value = "";
      if (file) await this.take(file, what);
    });
    return el("span", {}, button, input);
  }

  listen() {
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", async (event) => {
      event.preventDefault();
      for (const file of event.dataTransfer?.files ?? []) await this.dropped(file);
    });
  }

  /** Ask what a file is where it may be both. */
  async dropped(file) {
    if (this.explorer.data === null) return this.take(file, "data");
    const dialog = document.getElementById("ask");
    const choices = [["run", "answers of a system"], ["data", "a data set"], ["", "nothing; cancel"]].map(([what, label]) => {
      const button = el("button", { type: "button", value: what }, label);
      button.addEventListener("click", () => dialog.close(what));
      return button;
    });
    dialog.replaceChildren(el("h2", { id: "ask-title" }, "What is this file?"), el("p", { dir: "auto" }, file.name),
      el("div", { className: "tools" }, ...choices));
    dialog.returnValue = "";
    dialog.showModal();
    await new Promise((resolve) => { dialog.addEventListener("close", resolve, { once: true }); });
    if (dialog.returnValue) await this.take(file, dialog.returnValue);
    return undefined;
  }

  async take(file, what) {
    const { explorer } = this;
    if (what === "run" && explorer.data === null) return explorer.note("Open a data set first; answers belong to its questions.");
    this.busy(what === "run" ? `Scoring ${file.name} …` : `Reading ${file.name} …`);
    try {
      const made = await upload(what, file, explorer.data?.id ?? "");
      explorer.note("");
      if (what === "run") await this.refresh();
      else {
        await explorer.learnOpen();
        await explorer.open(made.id, { fresh: true });
      }
      if (what === "run") explorer.tables.runsChanged({ show: true });
    } catch (error) {
      explorer.fail(error);
    } finally {
      this.busy("");
    }
    return undefined;
  }

  async refresh() {
    const { explorer } = this;
    await explorer.learnOpen();
    explorer.data.runs = explorer.info.open.find(({ id }) => id === explorer.data.id)?.runs ?? [];
    this.show();
  }

  busy(words) {
    this.said.textContent = words;
  }

  async chosen() {
    const { explorer } = this;
    const { value } = this.select;
    try {
      if (value.startsWith("name:")) {
        const name = value.slice(5);
        this.busy(`Fetching ${name} …`);
        const made = await ask("open", { name });
        await explorer.learnOpen();
        await explorer.open(made.id, { fresh: true });
      } else if (value) await explorer.open(value, { fresh: true });
    } catch (error) {
      explorer.fail(error);
      this.show();
    } finally {
      this.busy("");
    }
  }

  show() {
    const { info, data } = this.explorer;
    const open = info.open.map(({ id, name }) => el("option", { value: id }, name));
    const named = info.catalogue.map((name) => el("option", { value: `name:${name}` }, name));
    const none = data === null ? [el("option", { value: "" }, "choose, or drop a file")] : [];
    this.select.replaceChildren(...none, ...(open.length ? [el("optgroup", { label: "open" }, ...open)] : []),
      el("optgroup", { label: "public sets (fetched once)" }, ...named));
    this.select.value = data?.id ?? "";
    this.runs.replaceChildren(...(data?.runs ?? []).map((name) => this.runChip(name)));
  }

  runChip(name) {
    const button = el("button", { type: "button", className: "small", "aria-label": `Remove the answers of ${name}`, title: "Remove" }, "×");
    button.addEventListener("click", async () => {
      try {
        await ask("remove-run", { data: this.explorer.data.id, name });
        await this.refresh();
        this.explorer.tables.runsChanged();
      } catch (error) {
        this.explorer.fail(error);
      }
    });
    return el("span", { className: "chip" }, el("bdi", {}, name), button);
  }
}
