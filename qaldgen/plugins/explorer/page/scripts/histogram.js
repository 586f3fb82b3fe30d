// One histogram: bars, and what keeps some of them. Numbers have two sliders, categories a button a value.

import { el, svgEl, whole } from "/shared/dom.js";

const WIDTH = 260;
const HEIGHT = 46;

/** Draw a histogram; `onBins(bins)` gets the places that are kept, null for all. Returns { made, show(counts, bins) }. */
export function histogram(column, onBins) {
  return column.kind === "number" && column.bins.length > 1 ? ofNumbers(column, onBins) : ofCategories(column, onBins);
}

function ofNumbers(column, onBins) {
  const last = column.bins.length - 1;
  const wide = WIDTH / column.bins.length;
  const bars = column.bins.map(({ label }, at) => svgEl("rect", { x: at * wide + 0.5, width: Math.max(1, wide - 1), class: "hist-bar", "data-label": label }));
  const picture = svgEl("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "hist", preserveAspectRatio: "none", "aria-hidden": "true" }, ...bars);
  const [low, high] = ["from", "to"].map((end, at) => el("input", {
    type: "range", min: 0, max: last, step: 1, value: at ? last : 0, "aria-label": `${column.label}, ${end}`,
  }));
  const words = el("p", { className: "hist-words" });
  const drawn = new Array(column.bins.length).fill("");
  const changed = (moved) => {
    let [a, b] = [Number(low.value), Number(high.value)];
    if (a > b) [a, b] = moved === low ? [a, a] : [b, b];
    [low.value, high.value] = [a, b];
    onBins(a === 0 && b === last ? null : range(a, b));
  };
  for (const input of [low, high]) input.addEventListener("input", () => changed(input));
  dragOver(picture, column.bins.length, (a, b) => {
    [low.value, high.value] = [a, b];
    changed(low);
  });
  return {
    made: el("div", { className: "hist-block" }, picture, el("div", { className: "sliders" }, low, high), words),
    show(counts, bins) {
      const [a, b] = bins === null ? [0, last] : [Math.min(...bins), Math.max(...bins)];
      [low.value, high.value] = [a, b];
      const most = Math.max(1, ...counts);
      let inside = 0;
      bars.forEach((bar, at) => {
        const tall = counts[at] ? Math.max(1.5, (counts[at] / most) * HEIGHT) : 0;
        const off = at < a || at > b;
        if (!off) inside += counts[at];
        const look = `${tall} ${off}`;
        if (drawn[at] === look) return;  // changing an attribute costs more than comparing
        drawn[at] = look;
        bar.setAttribute("y", HEIGHT - tall);
        bar.setAttribute("height", tall);
        bar.classList.toggle("off", off);
      });
      const [first, end] = [column.bins[a], column.bins[b]];
      const said = `${number(first.low)} to ${number(end.high)}, ${whole(inside)} questions`;
      words.textContent = bins === null ? `${number(first.low)} to ${number(end.high)}` : said;
      low.setAttribute("aria-valuetext", `from ${number(first.low)}; ${said}`);
      high.setAttribute("aria-valuetext", `to ${number(end.high)}; ${said}`);
    },
  };
}

function number(value) {
  return Number.isInteger(value) ? whole(value) : String(Number(value.toPrecision(4)));
}

function range(a, b) {
  return new Set(Array.from({ length: b - a + 1 }, (_, at) => a + at));
}

/** Dragging over the bars keeps those from the first to the last. */
function dragOver(picture, size, onRange) {
  let begin = -1;
  const place = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.min(size - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * size)));
  };
  const moved = (event) => {
    const now = place(event);
    onRange(Math.min(begin, now), Math.max(begin, now));
  };
  picture.addEventListener("pointerdown", (event) => {
    begin = place(event);
    picture.setPointerCapture(event.pointerId);
    moved(event);
  });
  picture.addEventListener("pointermove", (event) => { if (begin >= 0) moved(event); });
  for (const name of ["pointerup", "pointercancel"]) picture.addEventListener(name, () => { begin = -1; });
}

function ofCategories(column, onBins) {
  let kept = null;
  const rows = column.bins.map(({ label }, at) => {
    const bar = el("span", { className: "cat-bar" });
    const count = el("span", { className: "cat-count" });
    const button = el("button", { type: "button", className: "cat", "aria-pressed": "false" }, bar,
      el("span", { className: "cat-label", dir: "auto" }, label), count);
    button.addEventListener("click", () => {
      const next = new Set(kept ?? []);
      if (next.has(at)) next.delete(at);
      else next.add(at);
      onBins(next.size === 0 || next.size === column.bins.length ? null : next);
    });
    return { button, bar, count };
  });
  return {
    made: el("div", { className: "cats", role: "group", "aria-label": column.label }, ...rows.map(({ button }) => button)),
    show(counts, bins) {
      kept = bins;
      const most = Math.max(1, ...counts);
      rows.forEach(({ button, bar, count }, at) => {
        const said = whole(counts[at]);
        bar.style.width = `${(counts[at] / most) * 100}%`;
        if (count.textContent !== said) count.textContent = said;
        button.setAttribute("aria-pressed", String(bins?.has(at) ?? false));
        button.classList.toggle("off", bins !== null && !bins.has(at));
      });
    },
  };
}
