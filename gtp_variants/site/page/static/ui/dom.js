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

/** Return options of a list. @param {string[][]} pairs values with their texts @param {string} chosen */
export const optionsOf = (pairs, chosen) => pairs.map(([value, text]) => h("option", { value, selected: value === chosen }, text));

/** @type {Promise<void> | null} */
let loading = null;

/** Load the templates of the screens behind the front door, once. */
export function loadTemplates() {
  loading ??= fetch("/static/screens.html").then((answer) => answer.text()).then((text) => document.body.insertAdjacentHTML("beforeend", text));
  return loading;
}

/**
 * Return a copy of a template of the page as `root`, with its texts in the language (`data-say`; `data-label` and
 * `data-hint` for what a field is and what it expects), and its parts by name (`data-part`).
 * @param {string} id
 * @returns {Record<string, any>}
 */
export function filled(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  const root = /** @type {any} */ (template.content.firstElementChild.cloneNode(true)), found = { root };
  for (const each of [root, ...root.querySelectorAll("*")]) {
    const { say: text, label, hint, part } = each.dataset;
    if (text) each.textContent = say(text);
    if (label) each.ariaLabel = say(label);
    if (hint) each.placeholder = say(hint);
    if (part) found[part] = each;
  }
  return found;
}

/**
 * Send the fields of a form by `send`, and tell why that is refused.
 * @param {HTMLFormElement} form
 * @param {(fields: Record<string, any>) => Promise<unknown>} send
 * @param {(why: string) => void} refused
 */
export function onSubmit(form, send, refused) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(Object.fromEntries(new FormData(form))).catch(({ message }) => refused(message));
  });
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
  const focused = /** @type {HTMLElement} */ (document.activeElement), { id, dataset } = focused ?? {};
  const again = !element.contains(focused) ? "" : id ? `#${CSS.escape(id)}` : dataset.do ? `[data-do="${dataset.do}"]` : "";
  element.replaceChildren(...shown(make()));
  if (again) /** @type {HTMLElement | null} */ (element.querySelector(again))?.focus();
  return true;
}

/** Show a dialog, and remove it once closed; return it. @param {string} label @param {...any} children */
function openDialog(label, ...children) {
  const dialog = h("dialog", { "aria-label": label, onclose: () => dialog.remove() }, ...children);
  document.getElementById("main").append(dialog);
  dialog.showModal();
  return dialog;
}

/** Show a dialog with a heading and a button that closes it; return it. @param {string} title @param {...any} children */
export const showDialog = (title, ...children) => openDialog(title, h("h2", {}, title), ...children, h("form", { method: "dialog" }, h("button", {}, say("close"))));

/** Ask for confirmation. @param {string} key of the action in words; its question has " sure" after it @param {() => void} act @param {string} id of the action */
export function confirmFirst(key, act, id = key) {
  openDialog(say(key), h("form", { method: "dialog" }, h("p", {}, say(`${key} sure`)), h("div", { class: "row" },
    h("button", { class: "danger", id: `${id}-yes`, onclick: act }, say("yes")), h("button", {}, say("no")))));
}
