// The report: reads its data and draws the first screen, the table of scores, the map and the questions.

import { el } from "./dom.js";
import { choose, readAddress } from "./state.js";
import { membersOf, readData } from "./data.js";
import { drawRanking } from "./ranking.js";
import { drawCards } from "./cards.js";
import { drawHeat } from "./heat.js";
import { drawMap } from "./map.js";
import { drawQuestions } from "./questions.js";

function isKnown(data, name, value) {
  const systems = data.systems.map((one) => one.name);
  if (name === "area") return value.size > 0 && [...value].every((at) => at < data.ids.length);
  if (name === "system") return systems.includes(value);
  if (name === "colour") return value === "cluster" || systems.includes(value);
  if (name === "slice") return membersOf(data, value) !== null;
  if (name === "open") return data.ids.includes(value);
  if (name === "kind") return [...data.states, "fails", "differ"].includes(value);
  if (name === "sort") return /^(question|id|differ|gold|system-\d+)( down)?$/.test(value);
  return true;
}

function put(id, ...made) {
  document.getElementById(id)?.replaceChildren(...made);
}

async function start() {
  const data = await readData(document.getElementById("page-data"));
  const dropped = readAddress((name, value) => isKnown(data, name, value));
  put("ranking", drawRanking(data));
  put("weak", drawCards(data));
  put("heat", drawHeat(data));
  put("map-view", drawMap(data));
  put("question-view", drawQuestions(data));
  if (dropped.length) {
    put("dropped", el("p", { role: "status" }, `The address has choices that this report does not know; they were left out: ${dropped.join(", ")}`));
  }
  for (const link of document.querySelectorAll("[data-slice]")) {
    link.addEventListener("click", () => choose({ slice: link.dataset.slice, system: "", kind: "", search: "", area: null, open: "" }));
  }
  document.documentElement.dataset.ready = "yes";
}

addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });
start();
