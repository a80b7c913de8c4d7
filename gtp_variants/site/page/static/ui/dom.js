// Functions that create elements in one call, and replace them only after a change.

import { say } from "./words.js";

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

/**
 * Return a copy of a template of the page as `root`, with its texts in the language (`data-say`), and its parts by name
 * (`data-part`).
 * @param {string} id
 * @returns {Record<string, any>}
 */
export function filled(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  const root = /** @type {HTMLElement} */ (template.content.firstElementChild.cloneNode(true)), all = [...root.querySelectorAll("*")].filter((each) => each instanceof HTMLElement);
  for (const each of all) if (each.dataset.say) each.textContent = say(each.dataset.say);
  return { root, ...Object.fromEntries(all.filter(({ dataset }) => dataset.part).map((each) => [each.dataset.part, each])) };
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

/** Show a dialog with a heading and a button that closes it; return it. @param {string} title @param {...any} children */
export function showDialog(title, ...children) {
  const dialog = h("dialog", { "aria-label": title }, h("h2", {}, title), children,
    h("p", {}, h("button", { type: "button", onclick: () => dialog.close() }, say("close"))));
  openDialog(dialog);
  return dialog;
}

/**
 * Ask for confirmation.
 * @param {string} key of the action in words; its question has " sure" after it
 * @param {() => void} act
 * @param {string} id of the action
 */
export function confirmFirst(key, act, id = key) {
  const dialog = h("dialog", { "aria-label": say(key) }, h("p", {}, say(`${key} sure`)), h("div", { class: "row" },
    h("button", { type: "button", class: "danger", id: `${id}-yes`, onclick: () => { dialog.close(); act(); } }, say("yes")),
    h("button", { type: "button", onclick: () => dialog.close() }, say("no"))));
  openDialog(dialog);
}
