// The middle panel: the questions of the pool as dots, coloured by a property, by cluster or by the score of a system.

import { colourOf, counted, el, scaleLegend } from "/shared/dom.js";
import { choice, chosenArea, choose, onChoice } from "/shared/state.js";
import { dotMap } from "/shared/dots.js";
import { CLUSTER_COLOURS } from "/shared/map.js";
import { NONE } from "./crossfilter.js";

export class MapPanel {
  constructor(explorer) {
    this.explorer = explorer;
    this.colour = el("select", { id: "map-colour", "aria-label": "Colour the dots by" });
    this.colour.addEventListener("change", () => this.recolour());
    this.shape = el("select", { "aria-label": "Choose dots by" }, el("option", { value: "lasso" }, "lasso"), el("option", { value: "box" }, "box"));
    this.clear = el("button", { type: "button", className: "small", hidden: true }, "All dots");
    this.clear.addEventListener("click", () => choose({ area: null }));
    this.place = el("div");
    this.legend = el("div", { className: "legend-line" });
    this.caption = el("p", { className: "hint" });
    this.pinned = el("div", { className: "pinned", role: "region", "aria-label": "The question that is kept", "aria-live": "polite", tabIndex: 0 });
    this.map = null;
    this.picked = false;
    document.getElementById("map-view").replaceChildren(
      el("div", { className: "tools" }, el("label", {}, "Colour ", this.colour), el("label", {}, "Choose by ", this.shape), this.clear),
      this.place, this.legend, this.caption, this.pinned);
    onChoice((changes) => {
      if ("area" in changes) {
        if (this.map && this.explorer.pool) this.show();
      }
    });
  }

  poolChanged() {
    const { pool } = this.explorer;
    this.fillColours();
    this.pinned.replaceChildren();
    if (pool.points === null) {
      this.map = null;
      this.place.replaceChildren(el("p", { className: "hint" }, "There is no map: the questions do not differ in what the query selects."));
      this.caption.textContent = "";
      return;
    }
    const flat = decoded(pool.points);
    const shown = pool.rows.map((row, at) => [row, at]).filter(([row]) => row >= 0);
    this.rows = shown.map(([row]) => row);
    const points = shown.map(([, at]) => [flat[2 * at], flat[2 * at + 1]]);
    this.map = dotMap({
      points,
      areaShape: () => this.shape.value,
      label: () => `Map of ${counted(points.length, "question")}, coloured by ${this.colour.selectedOptions[0]?.textContent ?? "nothing"}; arrow keys go from dot to dot, Enter keeps a question, Space begins and ends a box`,
      before: () => this.prepare(),
      look: (at) => this.look(this.rows[at]),
      tip: (at) => this.tip(this.rows[at]),
      pin: (at) => this.pin(this.rows[at]),
      onArea: (places) => choose({ area: places.length ? new Set(places.map((at) => this.rows[at])) : null }),
    });
    this.place.replaceChildren(this.map.layers);
    this.caption.textContent = `To the right: ${pool.labels[0]}. Upwards: ${pool.labels[1]}. Ringed dots are the sample. ` +
      "Click a dot to keep its question; drag around dots to list them below.";
  }

  fillColours() {
    const { data, screen, sample } = this.explorer;
    const before = this.picked ? this.colour.value : choice("colour") || (screen ? "score:0" : this.usual());
    const options = [el("option", { value: "" }, "nothing")];
    for (const [at, { name }] of (screen?.systems ?? []).entries()) options.push(el("option", { value: `score:${at}` }, `score of ${name}`));
    if (sample?.clusters.length) options.push(el("option", { value: "cluster" }, "cluster of the sample"));
    data.columns.forEach(({ label, name }, at) => options.push(el("option", { value: `column:${encodeURIComponent(name)}:${at}` }, label)));
    this.colour.replaceChildren(...options);
    const same = options.find(({ value }) => value === before || value.replace(/^(column:.*):\d+$/, "$1") === before);
    this.colour.value = same?.value ?? "";
  }

  /** At first the dots show the property whose histogram stands first. */
  usual() {
    const { place } = this.explorer.filters.items[0] ?? {};
    const column = this.explorer.data.columns[place];
    return column ? `column:${encodeURIComponent(column.name)}` : "";
  }

  async recolour() {
    const { value } = this.colour;
    this.picked = true;
    choose({ colour: value.replace(/^(column:.*):\d+$/, "$1") });
    if (value.startsWith("column:")) await this.explorer.load([Number(value.split(":").at(-1))]).catch((error) => this.explorer.fail(error));
    this.show();
  }

  /** What all dots need to know, once for each drawing. */
  prepare() {
    const { cross, data, sample, screen } = this.explorer;
    const [kind] = this.colour.value.split(":");
    const at = Number(this.colour.value.split(":").at(-1));
    const plain = cssColour("--empty");
    this.fillOf = () => plain;
    if (kind === "column" && cross.hasColumn(at)) {
      const [codes, bins] = [cross.codes.get(at), data.columns[at].bins.length];
      const few = data.columns[at].kind === "category" && bins <= CLUSTER_COLOURS.length;
      const colours = Array.from({ length: bins }, (_, bin) => (few ? CLUSTER_COLOURS[bin] : colourOf(bins > 1 ? bin / (bins - 1) : 0.5)));
      this.fillOf = (row) => (codes[row] === NONE ? "transparent" : colours[codes[row]]);
    } else if (kind === "cluster" && sample?.clusters.length) {
      const own = new Map(sample.clusters.flatMap((rows, number) => rows.map((row) => [row, number])));
      this.fillOf = (row) => (own.has(row) ? CLUSTER_COLOURS[own.get(row) % CLUSTER_COLOURS.length] : "transparent");
    } else if (kind === "score" && screen) {
      const values = new Map(screen.rows.map((row, place) => [row, screen.answers[at]?.values[place]]));
      this.fillOf = (row) => (values.get(row) === undefined || values.get(row) === null ? "transparent" : colourOf(values.get(row)));
    }
    this.area = chosenArea();
    this.inSample = sample?.rows ?? new Set();
  }

  look(row) {
    const { cross } = this.explorer;
    return { fill: this.fillOf(row), shape: "circle", marked: this.inSample.has(row), faded: cross.mask[row] !== 0 || (this.area !== null && !this.area.has(row)) };
  }

  tip(row) {
    const { data } = this.explorer;
    return [el("p", { dir: "auto" }, data.texts[row]), el("small", {}, this.valueOf(row))];
  }

  valueOf(row) {
    const { data, cross } = this.explorer;
    const [kind, , place] = this.colour.value.split(":");
    if (kind !== "column" || !cross.hasColumn(Number(place))) return "";
    const column = data.columns[Number(place)];
    const code = cross.codes.get(Number(place))[row];
    return `${column.label}: ${code === NONE ? "none" : column.bins[code].label}`;
  }

  /** One question in full, with what is known of it; the columns come when they are wanted. */
  async pin(row) {
    const { data, cross } = this.explorer;
    const list = el("dl", { className: "features" });
    const all = el("button", { type: "button", className: "small" }, "All features");
    const fill = () => list.replaceChildren(...data.columns.flatMap((column, place) => {
      const code = cross.hasColumn(place) ? cross.codes.get(place)[row] : NONE;
      return code === NONE ? [] : [el("dt", {}, column.label, el("small", {}, column.name)), el("dd", { dir: "auto" }, column.bins[code].label)];
    }));
    all.addEventListener("click", async () => {
      try {
        await this.explorer.load(data.columns.map((_, place) => place));
        fill();
        all.remove();
      } catch (error) {
        this.explorer.fail(error);
      }
    });
    fill();
    this.pinned.replaceChildren(el("div", { className: "question-card" }, el("h3", { dir: "auto" }, data.texts[row]), el("p", { className: "id" }, data.ids[row]), list, all));
  }

  show() {
    this.clear.hidden = chosenArea() === null;
    this.map?.redraw();
    const byScale = /^(score|column)/.test(this.colour.value);
    this.legend.replaceChildren(...(byScale ? this.legendParts() : []));
  }

  legendParts() {
    const [kind, , place] = this.colour.value.split(":");
    if (kind === "score") return [scaleLegend()];
    const column = this.explorer.data.columns[Number(place)];
    const few = column.kind === "category" && column.bins.length <= CLUSTER_COLOURS.length;
    if (!few) return [scaleLegend([column.bins[0].label, "", column.bins.at(-1).label])];
    return column.bins.map(({ label }, at) => {
      const dot = el("span", { className: "swatch" });
      dot.style.backgroundColor = CLUSTER_COLOURS[at];
      return el("span", { className: "legend-item" }, dot, el("bdi", {}, label));
    });
  }
}

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function decoded(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}
