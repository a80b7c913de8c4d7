// The remarks of an opened file: comments, marks, times and variations.

import { h, redraw } from "../../ui/dom.js";
import { say } from "../../ui/words.js";
import { Part } from "../part.js";
import { clockText } from "../play/clock.js";

/**
 * @typedef {{ comment: string, marks: Record<string, string[]>, labels: Record<string, string> }} Remark
 * @typedef {{ after: number, moves: [string, string][], comment: string }} OtherLine
 */

export class Remarks extends Part {
  element = h("div", { class: "remarks", hidden: true });
  /** @type {OtherLine | null} the variation on the board */
  line = null;

  /** The number of moves up to the moment shown. */
  get number() {
    return this.screen.timeline.numbers[this.screen.here - 1] ?? 0;
  }

  /** @returns {Remark | undefined} */
  get remark() {
    return this.screen.whole.beside?.remarks[this.number];
  }

  show() {
    const { whole, timeline, here } = this.screen;
    const isTried = this.screen.study.path.events.length > 0;
    const lines = isTried ? [] : (whole.beside?.variations ?? []).filter(({ after }) => after === this.number);
    if (this.line && !lines.includes(this.line)) this.line = null;
    const time = isTried ? null : whole.times?.[timeline.current(here)];
    const { comment } = (!isTried && this.remark) || { comment: "" };
    this.element.hidden = !comment && !lines.length && !time;
    redraw(this.element, [comment, lines, time, this.line], () => [
      time ? h("p", { class: "quiet" }, timeText(time)) : null,
      comment ? h("p", { class: "comment" }, comment) : null,
      lines.map((line) => this.#row(line)),
    ]);
  }

  // Return a variation of the file: a button that shows it, and one that makes it the user's own, to walk through and extend.
  #row(line) {
    const points = line.moves.map(([, at]) => at), index = this.screen.whole.beside.variations.indexOf(line);
    const show = () => {
      this.line = this.line === line ? null : line;
      this.screen.show();
    };
    const walk = () => {
      this.line = null;
      this.screen.study.playAll(points);
    };
    return h("p", {}, h("button", { type: "button", id: `line-${index}`, "aria-pressed": String(this.line === line), onclick: show }, `${say("instead")} ${points.join(" ")}`), " ",
      h("button", { type: "button", id: `walk-${index}`, onclick: walk }, say("walk line")), " ", h("span", { class: "quiet" }, line.comment));
  }

  /** The marks for the board, and the numbered stones of a variation. */
  onBoard() {
    const remark = this.remark;
    // Remarks on the game do not apply to a variation.
    if (this.screen.study.path.events.length) return { line: [] };
    const drawn = { shapes: remark?.marks ?? {}, labels: { ...remark?.labels }, line: [] };
    if (this.line) drawn.line = this.line.moves.map(([colour, at], index) => ({ colour, at, text: String(index + 1) }));
    return drawn;
  }
}

const timeText = (times) => times.map((seconds, index) => (seconds === null ? "" : say(index ? "left time" : "took time", { time: clockText(seconds) }))).filter(Boolean).join(", ");
