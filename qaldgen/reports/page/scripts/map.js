// The questions in two dimensions: a canvas of dots coloured by score, shaped by what became of the question.

import { d3 } from "./vendor/d3.js";
import { colourOf, counted, el, hideTip, mark, number, showTip, svgEl } from "./dom.js";
import { chosenArea, choice, choose, onChoice } from "./state.js";
import { columnOf, membersOf, stateOf } from "./data.js";
import { shortAnswer } from "./cards.js";
import { questionCard } from "./question.js";

const SIZE = 520;
const EDGE = 16;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const REACH = 14;
/** Colours that the colour-blind tell apart (Okabe and Ito), and darker ones of the same hues. */
const CLUSTER_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f", "#004a75", "#8a5f00", "#005c43", "#7a3d60"];

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

export function drawMap(data) {
  if (data.map === null) return "";
  const { questions, points, labels } = data.map;
  const radius = points.length > 3000 ? 2 : points.length > 800 ? 3 : 4.5;
  const dots = placeDots(points, SIZE, radius);
  const tree = d3.quadtree(dots.map(([x, y], at) => [x, y, at]));
  const canvas = el("canvas", { tabIndex: 0, role: "img" });
  const above = svgEl("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "above", "aria-hidden": "true" });
  const pinned = el("div", { className: "pinned" }, el("p", { className: "hint" },
    "Point at a dot to see its question; click to keep it here. Drag around dots to filter the table below."));
  const said = el("p", { className: "said", role: "status" });
  const colour = systemChoice(data);
  const shape = el("select", { "aria-label": "Choose dots by" }, el("option", { value: "lasso" }, "lasso"), el("option", { value: "box" }, "box"));
  const clear = el("button", { type: "button", hidden: true }, "All dots");
  clear.addEventListener("click", () => choose({ area: null }));
  const view = { data, questions, dots, tree, canvas, above, pinned, radius, focus: -1, system: () => (colour.value === "cluster" ? 0 : Number(colour.value)), byCluster: () => colour.value === "cluster" };
  const redraw = () => {
    paint(view);
    const area = chosenArea();
    clear.hidden = area === null;
    said.textContent = area === null ? "" : `${counted(area.size, "question")} chosen on the map; the table below shows them.`;
  };
  colour.addEventListener("change", () => choose({ colour: colour.value === "cluster" ? "cluster" : data.systems[Number(colour.value)].name }));
  onChoice(() => {
    fillColour(data, colour);
    redraw();
  });
  listen(view, shape);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  fillColour(data, colour);
  redraw();
  return el("div", { className: "map" },
    el("div", { className: "tools" }, colour.options.length > 1 ? el("label", {}, "Colour ", colour) : null, el("label", {}, "Choose by ", shape), clear),
    el("div", { className: "map-body" },
      el("figure", {}, el("div", { className: "layers" }, canvas, above),
        el("figcaption", {}, `To the right: ${labels[0]}. Upwards: ${labels[1]}. Circle right, diamond partly, square wrong or none.`)),
      pinned), said);
}

/** What colours the dots: the score of a system, or the cluster of the question. */
function systemChoice(data) {
  const clusters = clusterColumn(data) ? [el("option", { value: "cluster" }, "cluster")] : [];
  return el("select", {}, ...data.systems.map(({ name }, at) => el("option", { value: String(at) }, `score of ${name}`)), ...clusters);
}

function fillColour(data, select) {
  const at = data.systems.findIndex(({ name }) => name === choice("colour"));
  if (at >= 0) select.value = String(at);
  else if (choice("colour") === "cluster" && clusterColumn(data)) select.value = "cluster";
}

function clusterColumn(data) {
  const found = data.features.find(({ name }) => name === "cluster");
  return found !== undefined && found.values.length <= CLUSTER_COLOURS.length ? found : null;
}

function paint(view) {
  const { data, canvas, dots, questions, radius, above } = view;
  const scale = Math.max(1, Math.min(devicePixelRatio, 3));
  canvas.width = SIZE * scale;
  canvas.height = SIZE * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const line = getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
  const own = data.answers[view.system()];
  const members = membersOf(data, choice("slice"));
  const inside = new Set(members ?? []);
  const area = chosenArea();
  canvas.setAttribute("aria-label", `Map of ${counted(dots.length, "question")}, coloured by the score of ${data.systems[view.system()].name}; arrow keys go from dot to dot`);
  pen.lineWidth = 1;
  const clusters = view.byCluster() ? columnOf(clusterColumn(data)) : null;
  dots.forEach(([x, y], at) => {
    const question = questions[at];
    const value = own.values[question];
    pen.globalAlpha = (members === null || inside.has(question)) && (area === null || area.has(question)) ? 1 : 0.15;
    pen.fillStyle = fillOf(value, clusters?.[question]);
    pen.strokeStyle = line;
    outline(pen, x, y, radius, data.states[own.states[question]]);
    pen.fill();
    pen.stroke();
  });
  const ring = view.focus >= 0 ? [svgEl("circle", { cx: dots[view.focus][0], cy: dots[view.focus][1], r: radius + 4, class: "ring" })] : [];
  above.replaceChildren(...ring);
}

function fillOf(value, cluster) {
  if (cluster !== undefined) return CLUSTER_COLOURS[cluster] ?? "transparent";
  return value === null ? "transparent" : colourOf(value);
}

function outline(pen, x, y, r, state) {
  pen.beginPath();
  if (state === "right") pen.arc(x, y, r, 0, 2 * Math.PI);
  else if (state === "partly") {
    pen.moveTo(x, y - r * 1.25); pen.lineTo(x + r * 1.25, y); pen.lineTo(x, y + r * 1.25); pen.lineTo(x - r * 1.25, y); pen.closePath();
  } else pen.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
}

function listen(view, shape) {
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
    view.above.replaceChildren(svgEl("polygon", { points: around(path, shape.value).map((p) => p.join(",")).join(" "), class: "lasso" }));
  });
  canvas.addEventListener("pointerup", (event) => {
    const drawn = path;
    path = null;
    if (drawn === null) return;
    const far = drawn.some(([x, y]) => Math.hypot(x - drawn[0][0], y - drawn[0][1]) > 6);
    if (far) selectArea(view, around(drawn, shape.value));
    else pin(view, view.tree.find(...where(event), REACH)?.[2]);
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => moveOnMap(view, event));
}

/** The corners of what was drawn: the lasso itself, or the box from its first to its last point. */
function around(path, kind) {
  if (kind === "lasso") return path;
  const [[x, y], [right, low]] = [path[0], path.at(-1)];
  return [[x, y], [right, y], [right, low], [x, low]];
}

function selectArea(view, polygon) {
  const inside = new Set(view.questions.filter((_, at) => d3.polygonContains(polygon, view.dots[at])));
  choose({ area: inside.size ? inside : null });
}

function hover(view, at, event) {
  const found = view.tree.find(...at, REACH);
  if (found === undefined) return hideTip();
  showTip(tipOf(view.data, view.questions[found[2]]), event.clientX, event.clientY);
}

function tipOf(data, question) {
  const lines = data.systems.map(({ name }, system) => el("div", {}, mark(stateOf(data, system, question)), " ",
    el("b", { dir: "auto" }, name), ` ${number(data.answers[system].values[question])} `,
    el("bdi", {}, shortAnswer(data.texts[data.answers[system].given[question]], data.labels))));
  return [el("p", { dir: "auto" }, data.questions[question] || data.ids[question]), ...lines.slice(0, 8)];
}

function pin(view, at) {
  view.focus = at ?? -1;
  paint(view);
  if (at !== undefined) view.pinned.replaceChildren(questionCard(view.data, view.questions[at]));
}

/** Arrows go to the nearest dot on that side, Enter keeps its question. */
function moveOnMap(view, event) {
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
  showTip(tipOf(view.data, view.questions[best]), box.left + (x / SIZE) * box.width, box.top + (y / SIZE) * box.height);
}
