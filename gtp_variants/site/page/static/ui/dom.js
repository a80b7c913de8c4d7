// Functions that create elements in one call, and replace them only after a change.

/**
 * Create an element with attributes, listeners (`onclick`) and children; null, undefined and false are left out.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...any} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "textContent") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...shown(children));
  return element;
}

const shown = (children) => children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);

/** @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * Fill an element with the result of `make` if `state` has changed, and return true if it was filled. The focus stays
 * on the element with the same id or action.
 * @param {HTMLElement} element
 * @param {unknown} state
 * @param {() => any[]} make
 */
export function redraw(element, state, make) {
  const key = JSON.stringify(state);
  if (drawn.get(element) === key) return false;
  drawn.set(element, key);
  const focused = element.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement) : null;
  element.replaceChildren(...shown(make()));
  if (focused) {
    const again = focused.id ? `#${CSS.escape(focused.id)}` : focused.dataset.do ? `[data-do="${focused.dataset.do}"]` : null;
    const found = again && element.querySelector(again);
    if (found instanceof HTMLElement) found.focus();
  }
  return true;
}

/** Show a dialog, and remove it once closed. @param {any} dialog */
export function openDialog(dialog) {
  dialog.addEventListener("close", () => dialog.remove());
  document.getElementById("main").append(dialog);
  dialog.showModal();
}

/**
 * Ask for confirmation.
 * @param {{ title: string, text: string, yes: string, no: string, id: string }} words
 * @param {() => void} act
 */
export function confirmFirst({ title, text, yes, no, id }, act) {
  const dialog = h("dialog", { "aria-label": title }, h("p", {}, text), h("div", { class: "row" },
    h("button", { type: "button", class: "danger", id, onclick: () => { dialog.close(); act(); } }, yes),
    h("button", { type: "button", onclick: () => dialog.close() }, no)));
  openDialog(dialog);
}
