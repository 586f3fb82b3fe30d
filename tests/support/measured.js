// The faults of what a page shows, each with its kind, place and text.
// broken: a word in lines of fewer than 12 letters; an address, or a script without spaces, breaks anywhere, but not so narrow.
// spills: a text wider than its element, which lies over what is beside it.
// cut: a text of which fewer than 6 letters are left.
// clipped: a label that leaves its picture.
() => {
  const TEXTS = "td, th, dt, dd, li, p, h1, h2, h3, button, caption, summary, label, small, bdi, figcaption, pre, code, span";
  const NO_WORDS = "svg, textarea, select, code, pre";
  const SPACELESS = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
  const found = [];

  function say(kind, one, text) {
    const parts = [];
    for (let at = one; at && at !== document.body && parts.length < 4; at = at.parentElement) {
      const named = at.id ? `#${at.id}` : at.classList.length ? `.${at.classList[0]}` : "";
      parts.unshift(at.tagName.toLowerCase() + named);
    }
    found.push(`${kind}: ${parts.join(" > ")}: ${text.slice(0, 60)}`);
  }

  function isSeen(one) {
    return one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, .skip, noscript, script, style");
  }

  function isUpright(one) {
    return getComputedStyle(one).writingMode === "horizontal-tb";
  }

  /** The width that an element's text has to itself. */
  function roomOf(one) {
    let block = one;
    while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(block);
    return block.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  }

  function linesOf(node, start, length) {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, start + length);
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
    return new Set(boxes.map(({ top }) => Math.round(top))).size;
  }

  function findBroken(node) {
    const parent = node.parentElement;
    const em = parseFloat(getComputedStyle(parent).fontSize);
    for (const { 0: token, index: start } of node.data.slice(0, 2000).matchAll(/\S+/gu)) {
      for (const { 0: word, index } of token.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
        const lines = linesOf(node, start + index, word.length);
        let isNarrow = word.length / lines < 12;
        if (token.length > 30) isNarrow = roomOf(parent) < 6 * em;
        if (SPACELESS.test(word)) isNarrow = roomOf(parent) < 4 * em;
        if (lines > 1 && isNarrow) say("broken", parent, word);
      }
    }
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (node.data.trim() && isSeen(parent) && !parent.closest(NO_WORDS) && isUpright(parent)) findBroken(node);
  }

  for (const one of document.querySelectorAll(TEXTS)) {
    const isText = isSeen(one) && one.clientWidth && one.textContent.trim() && !one.closest("svg, .layers") && !one.querySelector(".scroll, table");
    if (!isText || !isUpright(one) || one.scrollWidth <= one.clientWidth + 1) continue;
    const { overflowX, textOverflow, fontSize } = getComputedStyle(one);
    if (overflowX === "visible") say("spills", one, one.textContent);
    if (textOverflow === "ellipsis" && one.clientWidth < 3 * parseFloat(fontSize)) say("cut", one, one.textContent);
  }

  for (const text of document.querySelectorAll("svg text")) {
    if (!isSeen(text)) continue;
    const label = text.getBoundingClientRect();
    const picture = text.ownerSVGElement.getBoundingClientRect();
    const isFree = getComputedStyle(text.ownerSVGElement).overflow === "visible";
    const [left, right] = isFree ? [0, innerWidth] : [picture.left, picture.right];
    if (label.left < left - 1 || label.right > right + 1) say("clipped", text, text.textContent);
  }
  return found;
}
