// The questions in two dimensions: dots coloured by score, shaped by what became of the question.

import { colourOf, counted, el, inBrief, mark, number } from "./dom.js";
import { chosenArea, choice, choose, onChoice } from "./state.js";
import { columnOf, guessOf, membersOf, stateOf } from "./data.js";
import { dotMap } from "./dots.js";
import { shortAnswer } from "./cards.js";
import { questionCard } from "./question.js";

/** Colours that the colour-blind tell apart (Okabe and Ito), and darker ones of the same hues. */
export const CLUSTER_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#7f7f7f", "#004a75", "#8a5f00", "#005c43", "#7a3d60"];
const SHAPES = { right: "circle", partly: "diamond" };

export function drawMap(data) {
  if (data.map === null) return "";
  const { questions, points, labels } = data.map;
  const pinned = el("div", { className: "pinned" }, el("p", { className: "hint" },
    "Point at a dot to see its question; click to keep it here. Drag around dots to filter the table below. "
    + "With keys: arrows go from dot to dot, Enter keeps a question, Space begins a box and Space at another dot ends it."));
  const said = el("p", { className: "said", role: "status" });
  const colour = systemChoice(data);
  const shape = el("select", { "aria-label": "Choose dots by" }, el("option", { value: "lasso" }, "lasso"), el("option", { value: "box" }, "box"));
  const clear = el("button", { type: "button", hidden: true }, "All dots");
  clear.addEventListener("click", () => choose({ area: null }));
  const system = () => (colour.value === "cluster" ? 0 : Number(colour.value));
  let [own, members, inside, area, clusters] = [null, null, null, null, null];
  const map = dotMap({
    points,
    areaShape: () => shape.value,
    label: () => `Map of ${counted(points.length, "question")}, coloured by the score of ${data.systems[system()].name}; arrow keys go from dot to dot, Space begins and ends a box`,
    before: () => {
      own = data.answers[system()];
      members = membersOf(data, choice("slice"));
      inside = new Set(members ?? []);
      area = chosenArea();
      clusters = colour.value === "cluster" ? columnOf(clusterColumn(data)) : null;
    },
    look: (at) => {
      const question = questions[at];
      return {
        fill: fillOf(own.values[question], clusters?.[question]),
        shape: SHAPES[data.states[own.states[question]]] ?? "square",
        faded: (members !== null && !inside.has(question)) || (area !== null && !area.has(question)),
        marked: false,
      };
    },
    tip: (at) => tipOf(data, questions[at]),
    pin: (at) => pinned.replaceChildren(questionCard(data, questions[at])),
    onArea: (places) => choose({ area: places.length ? new Set(places.map((at) => questions[at])) : null }),
  });
  const redraw = () => {
    map.redraw();
    clear.hidden = chosenArea() === null;
    said.textContent = chosenArea() === null ? "" : `${counted(chosenArea().size, "question")} chosen on the map; the table below shows them.`;
  };
  colour.addEventListener("change", () => choose({ colour: colour.value === "cluster" ? "cluster" : data.systems[Number(colour.value)].name }));
  onChoice(() => {
    fillColour(data, colour);
    redraw();
  });
  fillColour(data, colour);
  redraw();
  return el("div", { className: "map" },
    el("div", { className: "tools" }, colour.options.length > 1 ? el("label", {}, "Colour ", colour) : null, el("label", {}, "Choose by ", shape), clear),
    el("div", { className: "map-body" },
      el("figure", {}, map.layers,
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

function fillOf(value, cluster) {
  if (cluster !== undefined) return CLUSTER_COLOURS[cluster] ?? "transparent";
  return value === null ? "transparent" : colourOf(value);
}

function tipOf(data, question) {
  const lines = data.systems.map(({ name }, system) => el("div", {}, mark(stateOf(data, system, question), guessOf(data, system, question)), " ",
    el("b", { dir: "auto" }, name), ` ${number(data.answers[system].values[question])} `,
    el("bdi", {}, shortAnswer(data.texts[data.answers[system].given[question]], data.labels))));
  return [el("p", { dir: "auto" }, inBrief(data.questions[question]) || data.ids[question]), ...lines.slice(0, 8)];
}
