// What the page asks the explorer, with the token that only this page has.

import { el } from "/shared/dom.js";

const TOKEN = document.querySelector("meta[name=qaldgen-token]").content;

/** A refusal of the explorer, in words. */
export class Refused extends Error {}

/** The explorer did not answer: it was stopped, or the machine slept. */
export class Gone extends Error {}

async function asked(path, options) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    showGone(true);
    throw new Gone("the explorer does not answer");
  }
  showGone(false);
  if (answer.ok) return answer;
  let said = `the explorer answered ${answer.status}`;
  try { said = (await answer.json()).error ?? said; } catch { /* no JSON: the number must do */ }
  throw new Refused(said);
}

function headers(more = {}) {
  return { "X-Qaldgen-Token": TOKEN, ...more };
}

function post(name, body, more = {}) {
  return asked(`/api/${name}`, { headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body), ...more });
}

/** Ask; a `signal` can call it off. */
export async function ask(name, body = {}, signal = undefined) {
  return (await post(name, body, { signal })).json();
}

export async function askBytes(name, body) {
  return new Uint8Array(await (await post(name, body)).arrayBuffer());
}

/** A file to save, with the name that the explorer gives it. */
export async function askFile(name, body) {
  const answer = await post(name, body);
  const named = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "");
  return { name: named?.[1] ?? "file", content: await answer.blob() };
}

/** Send a file; its name goes in a header, not in the address. */
export async function upload(what, file, data = "") {
  const more = { "X-File-Name": encodeURIComponent(file.name), "X-Data": data };
  return (await asked(`/api/upload/${what}`, { headers: headers(more), body: file })).json();
}

function showGone(gone) {
  const banner = document.getElementById("banner");
  if (gone === !banner.hidden) return;
  banner.hidden = !gone;
  const retry = el("button", { type: "button" }, "Try again");
  retry.addEventListener("click", () => ask("start").catch(() => {}));
  if (gone) {
    banner.replaceChildren(el("span", {}, "The explorer does not answer: it was stopped, or this machine was asleep. " +
      "What is on the page stays, and the filters still work. Start 'qaldgen serve' again to draw samples. "), retry);
  }
}
