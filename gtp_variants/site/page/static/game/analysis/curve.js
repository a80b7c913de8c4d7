// The analysis of a whole game: the winning chance as a curve, and the turns that lost most of it.

import { svg } from "../../board/board.js";
import { h, redraw } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { chart, HEIGHT, Luck, moments, WIDTH } from "./luck.js";

const PAUSE_MS = 150; // between two requests: the server accepts ten messages a second
const MOST_TURNS = 5;
const LEAST_LOSS = 0.1;

/** @typedef {{ at: number, share: number }} Moment a number of news items; the first colour's winning chance, 0 to 1 */

/**
 * Return the turns that lost most: where, and by how much the mover's chance fell.
 * @param {Moment[]} moments in order
 * @param {(at: number) => string} moverOf who moved last at a moment
 * @param {string} first the colour of the chances
 */
export function worstTurns(moments, moverOf, first) {
  const turns = moments.slice(1).map((moment, index) => {
    const gain = moment.share - moments[index].share, mover = moverOf(moment.at);
    return { at: moment.at, mover, loss: mover === first ? -gain : gain };
  });
  return turns.filter(({ loss }) => loss >= LEAST_LOSS).sort((a, b) => b.loss - a.loss).slice(0, MOST_TURNS);
}

/** Return the stretches of at least two consecutive known moments. @param {Moment[]} known in order @param {number[]} moments all moments @returns {Moment[][]} */
export function knownParts(known, moments) {
  const parts = [];
  for (const moment of known) {
    const before = parts.at(-1)?.at(-1);
    if (before && moments.indexOf(moment.at) === moments.indexOf(before.at) + 1) parts.at(-1).push(moment);
    else parts.push([moment]);
  }
  return parts.filter((part) => part.length > 1);
}

export class Curve extends Part {
  drawn = h("div", {});
  luck = new Luck(this.screen);
  element = h("div", { class: "curve", hidden: true }, this.drawn, this.luck.element);
  isRunning = false;
  run = 0; // sent with each request, so that a late answer cannot start a second chain of requests

  /** Return the moments after each move. */
  get moments() {
    const { played } = this.screen;
    const ends = played.news.map((item, index) => (item.kind === "draw" ? -1 : played.after(index))).filter((at) => at >= 0);
    return [...new Set([played.news[0]?.kind === "draw" ? played.after(0) : 0, ...ends])];
  }

  /** Return the moments to analyse: for luck, also the moments before each throw. */
  get wanted() {
    return this.luck.isOn ? [0, ...this.screen.played.news.map((_, index) => index + 1)] : this.moments;
  }

  /** Return the moments known so far. @returns {Moment[]} */
  get known() {
    const { analyses } = this.screen.help, first = this.screen.describe.players[0];
    return this.moments.map((at) => ({ at, share: analyses[`:${at}`]?.shares?.[first] })).filter(({ share }) => share !== undefined);
  }

  /** Continue after a reconnection. */
  resume() {
    this.run++;
    if (this.isRunning) this.#next();
  }

  // Request one moment after another while the analysis is on.
  #switch(isOn) {
    this.isRunning = isOn;
    this.show();
    if (isOn) this.resume();
  }

  #next() {
    const { screen } = this, at = this.wanted.find((each) => !(`:${each}` in screen.help.analyses));
    if (at === undefined) this.#switch(false);
    else screen.line.send({ do: "analysis", at, of: "", re: this.run });
  }

  /** Handle an analysis, or the reason for its failure. @param {{ type: string, re: unknown }} answer */
  hear({ type, re }) {
    if (!this.isRunning || re !== this.run) return;
    if (type === "error") this.#switch(false);
    else setTimeout(() => this.isRunning && re === this.run && this.#next(), PAUSE_MS);
  }

  show() {
    const { screen } = this;
    const isWanted = screen.isAnalysing && screen.canAnalyse && screen.whole.open && screen.played.length > 1 && !screen.study.line;
    this.element.hidden = !isWanted;
    if (!screen.isAnalysing) this.isRunning = false;
    if (!isWanted) return;
    const { known, moments, wanted } = this;
    const done = wanted.filter((at) => `:${at}` in screen.help.analyses).length;
    redraw(this.drawn, [known, done, screen.here, this.isRunning], () => [this.#drawing(known, moments), this.#buttons(done, wanted.length), this.#worst(known)]);
    this.luck.show(isWanted);
  }

  // Draw only stretches of known moments, never across a gap.
  #drawing(known, moments) {
    // The area below the curve is the share of the first colour.
    const { players } = this.screen.describe, last = moments.at(-1), parts = knownParts(known, moments);
    if (!parts.length && !this.isRunning) return null;
    const x = (at) => (WIDTH * at) / Math.max(1, last), y = (share) => HEIGHT * (1 - share);
    const areas = parts.flatMap((part) => {
      const from = x(part[0].at), to = x(part.at(-1).at), points = part.map(({ at, share }) => `${x(at)} ${y(share)}`).join("L");
      return [svg("rect", { x: from, width: to - from, height: HEIGHT, class: players[1] }),
        svg("path", { class: `area ${players[0]}`, d: `M${from} ${HEIGHT}L${points}L${to} ${HEIGHT}Z` }), svg("path", { class: "line", d: `M${points}` })];
    });
    const drawing = chart(say("curve"), x(this.screen.here), areas);
    drawing.setAttribute("data-press", "");
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      const wanted = ((event.clientX - box.left) / box.width) * last;
      this.screen.go(this.moments.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best)));
    });
    return drawing;
  }

  #buttons(done, count) {
    if (done >= count && !this.isRunning) return null;
    const text = this.isRunning ? say("curve runs", { number: done, count }) : say("curve start");
    return h("button", { type: "button", id: "curve", "aria-pressed": String(this.isRunning), onclick: () => this.#switch(!this.isRunning) }, text);
  }

  #worst(known) {
    const { timeline, describe } = this.screen;
    const moverOf = (at) => timeline.news[timeline.current(at)]?.actor ?? "";
    // With dice, the gain of a throw is no merit of the mover, so count the losses of moves alone.
    const turns = this.luck.isOn ? this.luck.worstTurns() : worstTurns(known, moverOf, describe.players[0]);
    if (!turns.length) return null;
    return moments("lost most", turns.map(({ at, mover, loss }) => [`worst-${at}`, () => this.screen.go(at),
      say("turn lost", { number: timeline.numbers[timeline.current(at)], name: nameOf(mover), part: Math.round(100 * loss) })]));
  }
}
