// A table of any length, of which only what is in view is drawn.

import { el } from "/shared/dom.js";

const TALL = 32;
const AROUND = 12;

/** Draw a table: `columns` are { label, title, cell(at), className }; `show(size)` says how many rows there are. */
export function windowed(label, columns) {
  const body = el("tbody");
  const head = el("tr", {}, ...columns.map((one) => el("th", { scope: "col", title: one.title ?? "", className: one.className ?? "", dir: "auto" }, one.label)));
  const table = el("table", { className: "windowed" }, el("thead", {}, head), body);
  const region = el("div", { className: "scroll rows", tabIndex: 0, role: "region", "aria-label": label }, table);
  let size = 0;
  let drawn = "";
  const draw = () => {
    const first = Math.max(0, Math.floor(region.scrollTop / TALL) - AROUND);
    const last = Math.min(size, first + Math.ceil((region.clientHeight || 600) / TALL) + 2 * AROUND);
    if (drawn === `${first} ${last}`) return;
    drawn = `${first} ${last}`;
    const rows = [];
    for (let at = first; at < last; at += 1) {
      rows.push(el("tr", { "aria-rowindex": at + 2 }, ...columns.map((one) => el("td", { className: one.className ?? "" }, one.cell(at)))));
    }
    body.replaceChildren(space(first), ...rows, space(size - last));
  };
  const space = (rows) => {
    const made = el("tr", { className: "space", "aria-hidden": "true" });
    made.style.height = `${rows * TALL}px`;
    return made;
  };
  region.addEventListener("scroll", draw);
  new ResizeObserver(draw).observe(region);
  return {
    made: region,
    show(next) {
      size = next;
      drawn = "";
      table.setAttribute("aria-rowcount", String(size + 1));
      if (region.scrollTop > size * TALL) region.scrollTop = 0;
      draw();
    },
  };
}
