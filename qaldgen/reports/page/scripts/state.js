// What is chosen on the page, in one place; it stands in the address, so that a view can be shared.

/** The choices and what they are called in the address; `area` is a set of questions, a bit for each. */
const KEYS = { slice: "f", search: "w", system: "s", kind: "k", open: "q", colour: "c", sort: "o" };
const chosen = { slice: "", search: "", system: "", kind: "", open: "", colour: "", sort: "" };
const AREA_KEY = "a";
const listeners = [];
let area = null;

/** Add choices of another page that uses these modules, and what they are called in the address. */
export function addChoices(keys) {
  Object.assign(KEYS, keys);
  for (const name of Object.keys(keys)) chosen[name] = "";
}

export function choice(name) {
  return chosen[name];
}

/** The places of the questions that were drawn around on the map; null for all. */
export function chosenArea() {
  return area;
}

export function onChoice(listener) {
  listeners.push(listener);
}

/** Forget the listeners that came after the first so many, before what they drew is drawn anew. */
export function forgetListeners(kept) {
  listeners.length = Math.min(listeners.length, kept);
}

export function countListeners() {
  return listeners.length;
}

/** Change some choices, tell everybody, and write the address. */
export function choose(changes) {
  if ("area" in changes) area = changes.area;
  for (const [name, value] of Object.entries(changes)) if (name in KEYS) chosen[name] = value;
  writeAddress();
  for (const listener of listeners) listener(changes);
}

function writeAddress() {
  const set = Object.entries(KEYS).filter(([name]) => chosen[name] !== "");
  const parts = set.map(([name, key]) => `${key}=${encodeURIComponent(chosen[name])}`);
  if (area !== null) parts.push(`${AREA_KEY}=${packed(area)}`);
  const words = parts.join("&");
  try {
    history.replaceState(null, "", words ? `#${words}` : location.pathname + location.search);
  } catch { /* a frame in a notebook has no address of its own */ }
}

/** Read the choices of the address; what is unknown is dropped, and returned. */
export function readAddress(known) {
  const dropped = [];
  if (!location.hash.includes("=")) return dropped;
  const names = Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [key, name]));
  for (const part of location.hash.slice(1).split("&")) {
    const [key, ...rest] = part.split("=");
    if (key === AREA_KEY) {
      const places = unpacked(rest.join("="));
      if (places !== null && known("area", places)) area = places;
      else dropped.push(part);
      continue;
    }
    let value = null;
    try { value = decodeURIComponent(rest.join("=")); } catch { /* a broken escape: dropped below */ }
    const name = names[key];
    if (name !== undefined && value !== null && known(name, value)) chosen[name] = value;
    else dropped.push(part);
  }
  return dropped;
}

/** Places as bits in base64, in the letters that an address may have. */
function packed(places) {
  let last = 0;
  for (const at of places) last = Math.max(last, at); // 100,000 places are too many arguments for one call
  const bytes = new Uint8Array((last >> 3) + 1);
  for (const at of places) bytes[at >> 3] |= 1 << (at & 7);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** What `packed` made, as a set again; null if it is something else. */
function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return new Set(Array.from(bytes).flatMap((byte, at) => [...Array(8).keys()].filter((bit) => byte & (1 << bit)).map((bit) => at * 8 + bit)));
  } catch {
    return null;
  }
}
