// The questions of a weak spot as files: a benchmark that the page makes by itself.

import { counted, download, el } from "./dom.js";

const FORMS = [["QALD JSON", ".json", qaldText], ["CSV", ".csv", csvText], ["JSON Lines", ".jsonl", linesText]];

/** Buttons that save the questions of a weak spot of a system, in each format. */
export function benchmarkFiles(data, system, spot) {
  const name = spot.file.replace(/\.rq$/, "");
  const buttons = FORMS.map(([label, ending, write]) => {
    const button = el("button", { type: "button", className: "small" }, label);
    button.addEventListener("click", () => download(name + ending, write(data, recordsOf(data, spot), name)));
    return button;
  });
  return el("div", { className: "files" },
    el("p", {}, `${counted(spot.n, "question")} with gold answers, chosen because ${system} is weak on them: use them to mend it, not to compare it with others.`), ...buttons);
}

function recordsOf(data, spot) {
  const places = new Map(data.ids.map((id, at) => [id, at]));
  return spot.ids.filter((id) => places.has(id) && data.entries[id]).map((id) => {
    const at = places.get(id);
    return { id, text: data.questions[at], sparql: data.queries[at], entry: data.entries[id], said: { chosen_by: spot.chosenBy } };
  });
}

/** One question a line, as `qaldgen export` writes them. */
function qaldText(data, records, name) {
  const lines = records.map(({ id, text, sparql, entry, said }) => JSON.stringify({
    id, ...entry.qald, question: [{ language: data.language, string: text }], query: sparql ? { sparql } : {}, ...said,
  }));
  return `{"dataset": ${JSON.stringify({ id: name })},\n"questions": [\n${lines.join(",\n")}\n]}\n`;
}

function rowOf(data, { id, text, sparql, entry, said }) {
  return { id, text, language: data.language, sparql, answers: entry.answers ?? entry.qald.answers[0] ?? null, answer_type: entry.qald.answertype ?? "", ...said };
}

function linesText(data, records) {
  return records.map((record) => `${JSON.stringify(rowOf(data, record))}\n`).join("");
}

function csvText(data, records) {
  const rows = records.map((record) => rowOf(data, record));
  return [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((row) => `${row.map(cellText).join(",")}\n`).join("");
}

/** A cell that no spreadsheet executes; qaldgen removes the mark. */
function cellText(value) {
  const text = value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[\s"]*[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `' ${text}` : text;
  return /[,;"\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
