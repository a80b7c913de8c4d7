// The rules of a game beside its board, as the handbook states them.

import { about } from "../data/net.js";
import { h } from "./dom.js";
import { say } from "./words.js";

export class RulesDrawer {
  constructor() {
    this.text = h("div", { class: "rules-text" });
    this.element = h("dialog", { class: "drawer", "aria-label": say("rules") },
      h("div", { class: "row" }, h("h2", {}, say("rules")), h("button", { type: "button", class: "quiet", onclick: () => this.element.close() }, say("close"))), this.text);
    this.spec = "";
  }

  /** Show the rules of a SPEC; the board stays visible and playable. @param {string} spec */
  async open(spec) {
    if (!this.element.isConnected) document.getElementById("main").append(this.element);
    if (!this.element.open) this.element.show();
    if (spec === this.spec) return;
    this.text.replaceChildren(h("p", { class: "quiet" }, "…"));
    try {
      const answer = await fetch(about("rules", spec));
      if (!answer.ok) throw new Error(say("no server"));
      // Remove the handbook page's own style, which would change this page.
      const page = new DOMParser().parseFromString((await answer.text()).replace(/<style>[^]*?<\/style>/g, ""), "text/html");
      for (const heading of page.querySelectorAll("h1")) heading.remove();
      this.text.replaceChildren(...page.body.children);
      this.spec = spec;
    } catch (problem) {
      this.text.replaceChildren(h("p", { class: "error" }, problem.message));
    }
  }
}
