// Dots in two dimensions: a canvas to point at, to draw around and to walk over by keys. What a dot
// means, and how it looks, is up to the page.

import { d3 } from "./vendor/d3.js";
import { el, hideTip, showTip, svgEl } from "./dom.js";
import { Sheet } from "./stamps.js";

const SIZE = 520;
const EDGE = 16;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const REACH = 14;
/** Beyond so many dots there is no room for their edges. */
const MANY = 20_000;

/** Where each dot lies, in pixels: questions at one place are spread in a small spiral, so that none hides another. */
export function placeDots(points, size, radius) {
  const across = d3.scaleLinear().domain(reach(points, 0)).range([EDGE, size - EDGE]);
  const up = d3.scaleLinear().domain(reach(points, 1)).range([size - EDGE, EDGE]);
  const seen = new Map();
  const dots = points.map(([x, y]) => {
    const place = `${Math.round(across(x))},${Math.round(up(y))}`;
    const turn = seen.get(place) ?? 0;
    seen.set(place, turn + 1);
    const away = radius * 1.3 * Math.sqrt(turn);
    return [across(x) + away * Math.cos(turn * GOLDEN), up(y) + away * Math.sin(turn * GOLDEN)];
  });
  return fitted(dots, size, radius + 2);
}

function reach(points, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (const point of points) [low, high] = [Math.min(low, point[axis]), Math.max(high, point[axis])];
  return high > low ? [low, high] : [low - 1, low + 1];
}

/** Move dots closer together where spirals reach beyond the edge. */
function fitted(dots, size, edge) {
  const inside = [0, 1].map((axis) => {
    const [low, high] = reach(dots, axis);
    return d3.scaleLinear().domain([Math.min(low, edge), Math.max(high, size - edge)]).range([edge, size - edge]);
  });
  return dots.map(([x, y]) => [inside[0](x), inside[1](y)]);
}

/**
 * Draw dots. `look(at)` returns { fill, shape, faded, marked }; `tip(at)` what pointing shows,
 * `pin(at)` what a click shows beside, `label()` what a screen reader hears; `onArea(places)` gets
 * the dots that were drawn around. Returns the canvas with what lies above, and how to draw again.
 */
export function dotMap({ points, look, tip, pin, label, onArea, areaShape, before = () => {} }) {
  const radius = points.length > MANY ? 1.2 : points.length > 3000 ? 2 : points.length > 800 ? 3 : 4.5;
  const dots = placeDots(points, SIZE, radius);
  const tree = d3.quadtree(dots.map(([x, y], at) => [x, y, at]));
  const canvas = el("canvas", { tabIndex: 0, role: "img" });
  const above = svgEl("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "above", "aria-hidden": "true" });
  const view = { dots, tree, canvas, above, radius, look, tip, pin, label, onArea, before, focus: -1, corner: -1 };
  listen(view, areaShape);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => (canvas.isConnected ? paint(view) : scheme.removeEventListener("change", follow));
  scheme.addEventListener("change", follow);
  return { layers: el("div", { className: "layers" }, canvas, above), redraw: () => paint(view) };
}

function paint(view) {
  const { canvas, dots, radius, above, look } = view;
  const style = getComputedStyle(document.documentElement);
  const [line, ring] = ["--line", "--ring"].map((name) => style.getPropertyValue(name).trim());
  canvas.setAttribute("aria-label", view.label());
  view.before();
  const sheet = new Sheet(canvas, SIZE);
  const plain = { edge: dots.length > MANY ? "" : line, radius };
  const ringed = { edge: ring, radius: radius + 2, wide: 2.2 };
  const later = [];
  for (let at = 0; at < dots.length; at += 1) {
    const own = look(at);
    if (own.marked) later.push([at, own]);
    else sheet.put(dots[at], own, plain);
  }
  for (const [at, own] of later) sheet.put(dots[at], own, ringed);
  sheet.show();
  const focused = view.focus >= 0 ? [svgEl("circle", { cx: dots[view.focus][0], cy: dots[view.focus][1], r: radius + 4, class: "ring" })] : [];
  const box = view.corner >= 0 ? [svgEl("polygon", { points: drawnAs(boxBetween(view)), class: "lasso" })] : [];
  above.replaceChildren(...focused, ...box);
}

function listen(view, areaShape) {
  const { canvas } = view;
  let path = null;
  const where = (event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * SIZE, ((event.clientY - box.top) / box.height) * SIZE];
  };
  canvas.addEventListener("pointerdown", (event) => {
    path = [where(event)];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = where(event);
    if (path === null) return hover(view, at, event);
    path.push(at);
    hideTip();
    view.above.replaceChildren(svgEl("polygon", { points: drawnAs(around(path, areaShape())), class: "lasso" }));
  });
  canvas.addEventListener("pointerup", (event) => {
    const drawn = path;
    path = null;
    if (drawn === null) return;
    const far = drawn.some(([x, y]) => Math.hypot(x - drawn[0][0], y - drawn[0][1]) > 6);
    if (far) selectArea(view, around(drawn, areaShape()));
    else pin(view, view.tree.find(...where(event), REACH)?.[2]);
  });
  for (const gone of ["pointerleave", "blur"]) canvas.addEventListener(gone, hideTip);
  canvas.addEventListener("keydown", (event) => moveOnMap(view, event));
}

/** The corners of what was drawn: the lasso itself, or the box from its first to its last point. */
function around(path, kind) {
  if (kind === "lasso") return path;
  const [[x, y], [right, low]] = [path[0], path.at(-1)];
  return [[x, y], [right, y], [right, low], [x, low]];
}

function drawnAs(corners) {
  return corners.map((corner) => corner.join(",")).join(" ");
}

/** The box from the dot where it began to the dot in focus, with both of them inside. */
function boxBetween(view) {
  const [[x, y], [right, low]] = [view.dots[view.corner], view.dots[view.focus]];
  const edge = view.radius + 1;
  const [west, east] = [Math.min(x, right) - edge, Math.max(x, right) + edge];
  const [north, south] = [Math.min(y, low) - edge, Math.max(y, low) + edge];
  return [[west, north], [east, north], [east, south], [west, south]];
}

function selectArea(view, polygon) {
  view.onArea(view.dots.flatMap((dot, at) => (d3.polygonContains(polygon, dot) ? [at] : [])));
}

function hover(view, at, event) {
  const found = view.tree.find(...at, REACH);
  if (found === undefined) return hideTip();
  showTip(view.tip(found[2]), event.clientX, event.clientY);
}

function pin(view, at) {
  view.focus = at ?? -1;
  paint(view);
  if (at !== undefined) view.pin(at);
}

/** Space begins a box at the dot in focus and ends it at another one, which chooses the dots inside; Escape gives it up. */
function boxByKeys(view, event) {
  if (event.key === " " && view.focus >= 0) {
    event.preventDefault();
    const box = view.corner >= 0 ? boxBetween(view) : null;
    view.corner = box === null ? view.focus : -1;
    if (box !== null) selectArea(view, box);
  } else if (event.key === "Escape") {
    view.corner = -1;
    hideTip();
  } else return false;
  paint(view);
  return true;
}

/** Arrows go to the nearest dot on that side, Enter keeps its question. */
function moveOnMap(view, event) {
  if (boxByKeys(view, event)) return;
  const sides = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  if (event.key === "Enter" && view.focus >= 0) return pin(view, view.focus);
  const side = sides[event.key];
  if (side === undefined) return;
  event.preventDefault();
  const from = view.dots[view.focus] ?? [SIZE / 2, SIZE / 2];
  let best = -1;
  let least = Infinity;
  view.dots.forEach(([x, y], at) => {
    const [dx, dy] = [x - from[0], y - from[1]];
    const along = dx * side[0] + dy * side[1];
    const cost = Math.hypot(dx, dy) + 2 * (Math.hypot(dx, dy) - along);
    if (at !== view.focus && along > 0.5 && cost < least) [best, least] = [at, cost];
  });
  if (best < 0) return;
  view.focus = best;
  paint(view);
  const box = view.canvas.getBoundingClientRect();
  const [x, y] = view.dots[best];
  showTip(view.tip(best), box.left + (x / SIZE) * box.width, box.top + (y / SIZE) * box.height);
}
