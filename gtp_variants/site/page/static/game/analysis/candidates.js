// The best moves of a search; the board shows the continuation of the move under the pointer or the focus.

import { h, redraw } from "../../ui/dom.js";
import { say, wordOf } from "../../ui/words.js";
import { Part } from "../part.js";

/** @typedef {{ at: string, part: number, line?: [string, string][] }} Candidate */

const MOST_SHOWN = 5;

export class Candidates extends Part {
  element = h("div", { class: "candidates", hidden: true });
  /** @type {Candidate[]} */
  moves = [];
  shown = ""; // the move whose line the board shows

  show() {
    this.moves = (this.screen.seen.moves ?? []).filter(({ line }) => line?.length);
    if (!this.moves.some(({ at }) => at === this.shown)) this.shown = "";
    this.element.hidden = !this.moves.length;
    redraw(this.element, this.moves, () => [h("h2", {}, say("candidates")), h("ol", {}, this.moves.slice(0, MOST_SHOWN).map((move) => h("li", {}, this.#button(move))))]);
  }

  #button(move) {
    const { study } = this.screen;
    const rest = move.line.slice(1).map(([, at]) => wordOf(at)).join(" ");
    return h("button", {
      type: "button", id: `candidate-${move.at}`, title: study.isOn ? say("candidate play") : null,
      onpointerenter: () => this.point(move.at), onpointerleave: () => this.point(""),
      onfocus: () => this.point(move.at), onblur: () => this.point(""),
      onclick: () => (study.isOn ? study.play(move.at) : this.point(move.at)),
    }, h("strong", {}, wordOf(move.at)), h("span", { class: "part" }, `${Math.round(100 * move.part)} %`), h("span", { class: "quiet" }, rest));
  }

  /** Show the continuation after one of the moves, or no continuation for null. @param {string | null} vertex */
  point(vertex) {
    const now = this.moves.some(({ at }) => at === vertex) ? vertex ?? "" : "";
    if (now === this.shown) return;
    this.shown = now;
    this.screen.redrawBoard();
  }

  /** The stones for the board. */
  onBoard() {
    const move = this.moves.find(({ at }) => at === this.shown);
    if (!move) return null;
    // If two stones of a line use the same point, show the first.
    const seen = new Set();
    const line = move.line.map(([colour, at], index) => ({ colour, at, text: String(index + 1) })).filter(({ at }) => !seen.has(at) && seen.add(at));
    return { line, hints: [], owners: {} };
  }
}
