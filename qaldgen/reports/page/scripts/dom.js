// Making elements, and the visual language: marks of states, colours of scores, numbers, links, copies, downloads.

/** Make an element; properties that begin with aria- or data-, and role, become attributes. */
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (/^(aria-|data-|role$|scope$|colspan$|for$)/.test(key)) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export function svgEl(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function number(value, digits = 2) {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

// one for all numbers: toLocaleString would make a new one each time
const WHOLE = new Intl.NumberFormat("en");

/** The beginning of a text that is too long to read at a glance. */
export function inBrief(text, most = 300) {
  return text.length > most ? `${text.slice(0, most).trimEnd()}…` : text;
}

export function whole(value) {
  return WHOLE.format(value);
}

export function counted(n, one, many = `${one}s`) {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

/** The interval of a cell [value, low, high] in words; empty without one. */
export function interval([, low, high]) {
  return low === null || low === undefined ? "" : `${number(low)} to ${number(high)}`;
}

const MARK_SHAPES = {
  right: "M3 8.5 6.5 12 13 4.5",
  partly: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 2.5v11a5.5 5.5 0 0 0 0-11z",
  wrong: "M4 4 12 12M12 4 4 12",
  empty: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10M12.5 3.5 3.5 12.5",
  failed: "M8 2.5 14 13.5H2zM8 6.5v3.2M8 11.2v1",
  "not asked": "M4 8h8",
};

/** A symbol and colour for what became of a question, with the word for those who do not see it; a guess has a question mark. */
export function mark(state, guess) {
  const shape = svgEl("path", { d: MARK_SHAPES[state] });
  const drawn = svgEl("svg", { viewBox: "0 0 16 16", class: `mark ${state.replace(" ", "-")}`, "aria-hidden": "true" }, shape);
  const words = guess ? `${state}, a guess` : state;
  return el("span", { className: "marked", title: words }, drawn, guess ? el("sup", { className: "guess", "aria-hidden": "true" }, "?") : null,
    el("span", { className: "unseen" }, words));
}

// Eleven stops of even steps (CIEDE2000 8.6 to 9.9), whose lightness rises evenly, for grey print too.
const STOPS = [
  [15, 38, 105], [3, 62, 112], [6, 84, 121], [4, 106, 133], [1, 128, 144], [25, 150, 151],
  [62, 172, 156], [100, 193, 159], [143, 213, 157], [192, 231, 154], [243, 246, 158],
];

export function colourOf(score) {
  const at = Math.min(Math.max(score, 0), 1) * 10;
  const low = Math.min(Math.floor(at), 9);
  const mixed = STOPS[low].map((part, channel) => Math.round(part + (STOPS[low + 1][channel] - part) * (at - low)));
  return `rgb(${mixed.join(",")})`;
}

export function inkOn(score) {
  return score >= 0.41 ? "#000000" : "#ffffff";
}

/** Which colour is which score, or what stands at the left end, the middle and the right end. */
export function scaleLegend(ends = ["0", "0.5", "1"]) {
  const width = 220;
  const parts = Array.from({ length: 22 }, (_, at) =>
    svgEl("rect", { x: (at * width) / 22, y: 0, width: width / 22 + 0.5, height: 12, fill: colourOf((at + 0.5) / 22) }));
  const words = ends.map((end, at) => svgEl("text", {
    x: (at * width) / 2, y: 26, "text-anchor": ["start", "middle", "end"][at],
  }, document.createTextNode(end)));
  return svgEl("svg", {
    viewBox: `0 0 ${width} 30`, width, height: 30, class: "scale", role: "img",
    "aria-label": `Colours from ${ends[0]}, dark blue, to ${ends.at(-1)}, pale yellow`,
  }, ...parts, ...words);
}

/** A button that copies text, and says that it did. */
export function copyButton(label, text) {
  const button = el("button", { type: "button", className: "small" }, label);
  button.addEventListener("click", async () => {
    const done = await copied(text);
    button.textContent = done ? "Copied" : "Copy failed";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { value: text, className: "unseen" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** What people call an answer: the label of an IRI if one is known, its last part if it is DBpedia's, else the text. */
export function calledBy(value, labels) {
  if (Object.hasOwn(labels, value)) return labels[value];
  if (!/^https?:\/\/\S+$/.test(value)) return value;
  const last = value.replace(/[/#]+$/, "").replace(/^.*[/#]/, "");
  try {
    return decodeURIComponent(last).replaceAll("_", " ") || value;
  } catch {
    return last || value;
  }
}

/** An answer as text, or as a link where it is the address of a thing. */
export function answerLink(value, labels) {
  const shown = calledBy(value, labels);
  if (!/^https?:\/\/\S+$/.test(value)) return el("bdi", {}, shown);
  return el("a", { href: value, target: "_blank", rel: "noreferrer noopener", title: value, dir: "auto" }, shown);
}

let tip = null;

/** Show something beside the pointer or an element; without content hide it. */
export function showTip(content, x = 0, y = 0) {
  if (tip === null) {
    tip = el("div", { className: "tip", role: "tooltip", hidden: true });
    (document.querySelector("main") ?? document.body).append(tip);
  }
  tip.hidden = content === null;
  if (content === null) return;
  tip.replaceChildren(...[content].flat());
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(4, y + 16 + height > innerHeight ? y - height - 10 : y + 16)}px`;
}

export function hideTip() {
  if (tip !== null) tip.hidden = true;
}
