// The systems, the best first, each a dot with its interval; equal ranks are ties.

import { d3 } from "./vendor/d3.js";
import { el, interval, number, svgEl } from "./dom.js";

export function drawRanking(data) {
  const list = el("ol", { className: "ranking" });
  const ties = data.systems.some(({ rank }) => rank[0] !== rank[1]);
  for (const one of data.systems) list.append(rankingRow(one, data.systems.length > 1));
  list.append(rankingAxis());
  const longest = Math.max(...data.systems.map(({ name }) => name.length));
  list.style.setProperty("--names", `${Math.min(24, Math.max(13, 0.62 * longest))}rem`);  // about the width of bold letters
  const says = `${data.measure}${data.pool ? `, estimated for all ${data.pool.toLocaleString("en")} questions of the pool` : ""}`;
  const how = ties && data.systems.length > 1 ? "; equal ranks are ties by the corrected tests" : "";
  return el("section", { className: "ranked", "aria-label": "Ranking" },
    el("p", { className: "caption" }, `${says}${data.match ? `, matched by ${data.match}` : ""}, with ${data.level} intervals${how}`), list);
}

function rankingRow({ name, score, low, high, rank }, several) {
  const place = rank[0] === rank[1] ? String(rank[0]) : `${rank[0]}–${rank[1]}`;
  const words = low === null ? "" : `${number(low)} to ${number(high)}`;
  return el("li", {},
    el("span", { className: "place", title: several ? `Rank ${place.replace("–", " to ")}` : "" }, several ? place : ""),
    el("b", { className: "name", dir: "auto", title: name }, name),
    intervalPicture(score, low, high),
    el("span", { className: "value" }, el("b", {}, number(score)), " ", el("small", {}, words)));
}

/** A dot with a line from low to high on a scale from 0 to 1. */
export function intervalPicture(score, low, high) {
  const at = d3.scaleLinear().domain([0, 1]).range([1.5, 98.5]).clamp(true);
  const drawn = svgEl("svg", { class: "interval", role: "img", "aria-label": `${number(score)}, interval ${interval([score, low, high])}` });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    drawn.append(svgEl("line", { x1: `${at(tick)}%`, x2: `${at(tick)}%`, y1: 0, y2: "100%", class: "tick" }));
  }
  if (low !== null) drawn.append(svgEl("line", { x1: `${at(low)}%`, x2: `${at(high)}%`, y1: "50%", y2: "50%", class: "reach" }));
  if (score !== null) drawn.append(svgEl("circle", { cx: `${at(score)}%`, cy: "50%", r: 5, class: "dot" }));
  return drawn;
}

function rankingAxis() {
  const at = d3.scaleLinear().domain([0, 1]).range([1.5, 98.5]);
  const drawn = svgEl("svg", { class: "interval axis", "aria-hidden": "true" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    const anchor = tick === 0 ? "start" : tick === 1 ? "end" : "middle";
    drawn.append(svgEl("text", { x: tick === 0 ? 0 : tick === 1 ? "100%" : `${at(tick)}%`, y: 11, "text-anchor": anchor },
      document.createTextNode(String(tick))));
  }
  return el("li", { className: "axis", "aria-hidden": "true" }, el("span"), el("span"), drawn, el("span"));
}
