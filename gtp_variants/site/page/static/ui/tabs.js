// Tabs over panels: one is shown, the arrow keys go from tab to tab.

import { h } from "./dom.js";

export class Tabs {
  /** @param {string} label of the row of tabs @param {{ key: string, name: any, panel: HTMLElement }[]} tabs the first is shown first */
  constructor(label, tabs) {
    this.tabs = tabs.map(({ key, name, panel }) => {
      const button = h("button", { type: "button", role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}`, onclick: () => this.open(key) }, name);
      for (const [attribute, value] of Object.entries({ id: `panel-${key}`, role: "tabpanel", "aria-labelledby": button.id })) panel.setAttribute(attribute, value);
      return { key, button, panel };
    });
    this.row = h("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: (event) => this.#key(event) }, this.tabs.map(({ button }) => button));
    this.element = h("section", { class: "card sheet" }, this.row, this.tabs.map(({ panel }) => panel));
    this.open(this.tabs[0].key);
  }

  /** @param {string} key */
  open(key) {
    this.shown = key;
    for (const { key: each, button, panel } of this.tabs) {
      button.setAttribute("aria-selected", String(each === key));
      button.tabIndex = each === key ? 0 : -1;
      panel.hidden = each !== key;
    }
  }

  /** Offer a tab, or take it away. @param {string} key @param {boolean} isOffered */
  offer(key, isOffered) {
    this.tabs.find((each) => each.key === key).button.hidden = !isOffered;
    if (!isOffered && this.shown === key) this.open(this.tabs[0].key);
  }

  #key({ key }) {
    const offered = this.tabs.filter(({ button }) => !button.hidden), way = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!way) return;
    const next = offered.at((offered.findIndex((each) => each.key === this.shown) + way) % offered.length);
    this.open(next.key);
    next.button.focus();
  }
}
