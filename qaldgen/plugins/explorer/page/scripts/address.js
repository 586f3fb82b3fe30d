// What is chosen, as the address keeps it: no file and no text of a question, only names, numbers and the query.

import { addChoices, choice } from "/shared/state.js";

/** Choices of the explorer beside those of the report's parts, and what they are called in the address. */
export const KEYS = { data: "d", query: "sq", filters: "x", method: "m", size: "n", seed: "r", scaling: "z", missing: "u", tab: "t" };

export function listen() {
  addChoices(KEYS);
}

/** Write filters as `name:low..high` for numbers and `name:value|value` for categories. */
export function writeFilters(columns, filters) {
  return [...filters].map(([place, { bins }]) => {
    const column = columns[place];
    const places = [...bins].sort((a, b) => a - b);
    const values = column.kind === "number"
      ? `${column.bins[places[0]].low}..${column.bins[places.at(-1)].high}`
      : places.map((at) => encodeURIComponent(column.bins[at].label)).join("|");
    return `${encodeURIComponent(nameOf(columns, column))}:${values}`;
  }).join(";");
}

/** Two properties may have one name; then the whole IRI is taken. */
function nameOf(columns, column) {
  return columns.filter(({ name }) => name === column.name).length > 1 ? column.property : column.name;
}

/** Read filters; returns pairs of a column and its bins, and what was not understood. */
export function readFilters(columns, text) {
  const found = [];
  const unknown = [];
  for (const part of text.split(";").filter(Boolean)) {
    const at = part.indexOf(":");
    const place = columns.findIndex((column) => encodeURIComponent(nameOf(columns, column)) === part.slice(0, at));
    const bins = place < 0 ? new Set() : binsOf(columns[place], part.slice(at + 1));
    if (bins.size) found.push([place, bins]);
    else unknown.push(part);
  }
  return { found, unknown };
}

function binsOf(column, words) {
  const places = column.bins.map((_, at) => at);
  if (column.kind !== "number") {
    const wanted = new Set(words.split("|"));
    return new Set(places.filter((at) => wanted.has(encodeURIComponent(column.bins[at].label))));
  }
  const [low, high] = words.split("..").map(Number);
  return new Set(places.filter((at) => column.bins[at].low >= low && column.bins[at].high <= high));
}

/** A query for the address: the name of a ready one, else the text, packed. */
export async function packQuery(query, ready) {
  if (ready.includes(query)) return query;
  const stream = new Blob([query]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `~${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The query of an address; null if it cannot be read. A short address must not unpack to a huge text. */
export async function unpackQuery(packed, ready) {
  if (ready.includes(packed)) return packed;
  if (!packed.startsWith("~")) return null;
  try {
    const text = atob(packed.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder();
    let found = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      found += decoder.decode(part.value, { stream: true });
      if (found.length > 200_000) return null;
    }
    return found;
  } catch {
    return null;
  }
}

/** A number of the address, or what is taken otherwise. */
export function numberOf(name, otherwise) {
  return /^\d{1,9}$/.test(choice(name)) ? Number(choice(name)) : otherwise;
}
