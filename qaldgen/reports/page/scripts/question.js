// One question in full: gold and given answers, the gold query, all features.

import { answerLink, copyButton, counted, el, inBrief, mark, number, whole } from "./dom.js";
import { featuresOf, guessOf, stateOf } from "./data.js";

export function questionCard(data, question) {
  return el("div", { className: "question-card" },
    el("h3", { dir: "auto" }, inBrief(data.questions[question]) || data.ids[question]),
    ...wholeText(data.questions[question]),
    el("p", { className: "id" }, data.ids[question]),
    answersTable(data, question),
    ...queryOf(data, question),
    ...featureList(data, question));
}

function wholeText(text) {
  return text === inBrief(text) ? [] : [el("details", {}, el("summary", {}, `the whole question, ${whole(text.length)} characters`), el("p", { dir: "auto" }, text))];
}

function answersTable(data, question) {
  const rows = data.systems.map(({ name }, system) => {
    const own = data.answers[system];
    const [tp, fp, fn] = [own.tp, own.fp, own.fn].map((column) => column[question]);
    const figures = `F1 ${number(own.f1[question])}, P ${number(own.precision[question])}, R ${number(own.recall[question])}; ${tp} right, ${fp} wrong, ${fn} missed`;
    return el("tr", {}, el("th", { scope: "row" }, mark(stateOf(data, system, question), guessOf(data, system, question)), " ", el("bdi", {}, name)),
      el("td", {}, answerList(data.texts[own.given[question]], data.labels, own.status[question]), el("small", {}, figures), doubt(guessOf(data, system, question))));
  });
  const gold = el("tr", { className: "gold" }, el("th", { scope: "row" }, "Gold"), el("td", {}, answerList(data.gold[question], data.labels, "none")));
  return el("table", { className: "answers" }, el("tbody", {}, gold, ...rows));
}

/** What speaks against a verdict, if something does. */
function doubt(guess) {
  if (guess === undefined) return null;
  const [probability, why] = guess;
  return el("small", { className: "doubt" }, `The verdict is right with a probability of ${number(probability)}: ${why || "a guess"}`);
}

function answerList(text, labels, otherwise) {
  if (!text) return el("p", { className: "none" }, otherwise === "answered" ? "empty" : otherwise);
  return el("ul", {}, ...text.split("\n").map((value) => el("li", {}, answerLink(value, labels))));
}

function queryOf(data, question) {
  const text = data.queries[question];
  if (!text) return [];
  return [el("div", { className: "query" }, el("p", {}, el("b", {}, "Gold query"), " ", copyButton("Copy", text)), el("pre", { tabIndex: 0 }, text))];
}

function featureList(data, question) {
  const found = featuresOf(data, question);
  if (!found.length) return [];
  const items = found.flatMap(([feature, value]) => [
    el("dt", {}, feature.label, el("small", {}, feature.name)), el("dd", { dir: "auto" }, value)]);
  return [el("details", {}, el("summary", {}, counted(found.length, "feature")), el("dl", { className: "features" }, ...items))];
}
