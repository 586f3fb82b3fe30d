// The data of the page: unpacked, and questions put together from its columns.

/** Read the data that a script tag holds, as JSON or packed by gzip. */
export async function readData(tag) {
  if (tag.dataset.packed !== "gzip") return JSON.parse(tag.textContent);
  const bytes = Uint8Array.from(atob(tag.textContent.trim()), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const decoded = new Map();

/** The values of a feature by question: places in its list of values, 65535 where there is none. */
export function columnOf(feature) {
  if (!decoded.has(feature)) {
    const bytes = Uint8Array.from(atob(feature.at), (char) => char.charCodeAt(0));
    decoded.set(feature, new Uint16Array(bytes.buffer));
  }
  return decoded.get(feature);
}

/** What is known of a question: [feature, value] for each feature that it has. */
export function featuresOf(data, question) {
  return data.features
    .map((feature) => [feature, feature.values[columnOf(feature)[question]]])
    .filter(([, value]) => value !== undefined);
}

export function stateOf(data, system, question) {
  return data.states[data.answers[system].states[question]];
}

/** The probability that a verdict is right, and what speaks against it, if the verdict is a guess. */
export function guessOf(data, system, question) {
  return data.answers[system].guesses[question];
}

/** How far the systems differ on a question: the highest minus the lowest value. */
export function disagreement(data, question) {
  const values = data.answers.map((own) => own.values[question]).filter((value) => value !== null);
  return values.length ? Math.max(...values) - Math.min(...values) : 0;
}

/** The questions of a slice, by its name; null for all questions. */
export function membersOf(data, name) {
  if (name === "") return null;
  const row = data.heat.find((one) => one.name === name && one.members !== null);
  if (row !== undefined) return row.members;
  const places = new Map(data.ids.map((id, at) => [id, at]));
  for (const card of data.cards) {
    for (const spot of card.spots) {
      if (spot.name === name) return spot.ids.map((id) => places.get(id)).filter((at) => at !== undefined);
    }
  }
  return null;
}

/** The phrase for a slice, by its name. */
export function labelOfSlice(data, name) {
  const spots = data.cards.flatMap((card) => card.spots);
  return [...data.heat, ...spots].find((one) => one.name === name)?.label ?? name;
}
