// Computed help: hints, dead stones, hidden stones, odds of draws, analyses of moments.

import { h, redraw } from "../../ui/dom.js";
import { nameOf, say, wordOf } from "../../ui/words.js";
import { Part } from "../part.js";

const ASK_MS = 200; // a moment is shown this long before it is analysed
const LEAST_PART = 0.02;
const SHOWN_FROM = 8; // smallest share, in hundredths, with room for a number in its bar

// One overlay on the points at a time: two would hide each other.
const NOTHING = { hints: /** @type {any[]} */ ([]), owners: {}, shares: {}, hidden: /** @type {any} */ (null) };

export class Help extends Part {
  rates = h("div", { class: "rates", role: "img", hidden: true });
  /** @type {Record<string, any>} analyses by board and number of news items */
  analyses = {};
  over = NOTHING;
  /** @type {any} */
  odds = null;
  /** @type {string[][] | null} */
  seemDead = null;
  proposal = ""; // which stones seem dead, and the result without them

  // Forget help for the moment before an event.
  forget() {
    Object.assign(this, { over: NOTHING, odds: null, seemDead: null, proposal: "" });
  }

  /** Handle an answer to a request for help. @param {any} message */
  hear(message) {
    const { type } = message, isNow = message.turn === this.screen.state?.turn;
    if (type === "hint" && isNow) this.#hint(message);
    else if (type === "seem_dead" && isNow) this.#judge(message);
    else if (type === "hidden" && isNow) this.#put({ over: { ...NOTHING, hidden: message.odds } });
    else if (type === "odds") this.#put({ odds: message.odds });
    else if (type === "analysis") {
      this.analyses[keyOf(message.of, message)] = { ...message, moves: message.moves?.filter(({ part }) => part >= LEAST_PART) };
      this.screen.show();
      this.screen.curve.hear(message);
    }
  }

  #put(found) {
    Object.assign(this, found);
    this.screen.status.forget();
    this.screen.show();
  }

  #hint({ at, moves, shares, owners }) {
    const hints = moves.length ? moves.filter(({ part }) => part >= LEAST_PART) : [{ at, part: 1 }];
    this.#put({ over: { ...NOTHING, owners, shares, hints } });
    this.screen.status.notice(say("hint is", { at: wordOf(at) }));
  }

  // Ask people to agree on chains that a search finds dead and nobody has marked.
  #judge({ chains, result }) {
    this.proposal = chains.length ? say("seem dead", { points: chains.flat().join(" "), result }) : "";
    if (this.proposal) this.screen.tellAloud(this.proposal);
    this.#put({ seemDead: chains });
  }

  markDead() {
    this.screen.do("dead", { at: (this.seemDead ?? []).map(([first]) => first) });
    Object.assign(this, { seemDead: [], proposal: "" });
  }

  askDead() {
    const { whole, state: { counting, suspended, dead, final } } = this.screen;
    if (final || !whole.you || !dead || dead.length || this.seemDead || !(counting || suspended)) return;
    this.seemDead = [];
    this.screen.do("seem_dead");
  }

  // Show the odds of hidden stones, from the knowledge of this seat.
  imagine() {
    if (this.over.hidden) this.#put({ over: NOTHING });
    else this.screen.do("hidden");
  }

  toggleOdds() {
    if (this.odds) this.#put({ odds: null });
    else this.screen.do("odds");
  }

  /** Return the analysis of the moment shown, and request it if it is missing. */
  ofMoment() {
    const { screen, over } = this, { path } = screen.study, known = this.analyses[keyOf(screen.viewed, path)];
    clearTimeout(this.asking);
    if (!screen.isAnalysing || !screen.canAnalyse) return screen.isLive ? { ...over, moves: over.hints, odds: over.hidden } : {};
    if (!known) this.asking = setTimeout(() => screen.line.send({ do: "analysis", ...path, of: screen.viewed }), ASK_MS);
    return known ?? {};
  }

  /** Show the winning chances as parts of a bar. */
  show() {
    const { shares = {} } = this.screen.seen;
    const parts = Object.entries(shares).map(([colour, share]) => ({ colour, part: Math.round(100 * share) }));
    this.rates.hidden = !parts.length;
    redraw(this.rates, parts, () => parts.map(({ colour, part }) => {
      const segment = h("span", { class: part ? colour : `${colour} none` }, part < SHOWN_FROM ? "" : `${part} %`);
      segment.style.flex = `${Math.max(part, 1)} 0 0`;
      return segment;
    }));
    this.rates.setAttribute("aria-label", parts.map(({ colour, part }) => say("win rate", { name: nameOf(colour), part })).join(", "));
  }

  /** Return the chance of each line to open, in hundredths, at its corners or one of its points. */
  numbers() {
    if (!this.odds || !this.screen.isLive) return {};
    const { lines, points, grid: [width] } = this.screen.describe, numbers = {};
    const isCorner = (vertex) => [points[vertex][0][1], width - 1 - points[vertex][0][1]].includes(points[vertex][0][0]);
    for (const [line, odd] of Object.entries(this.odds).filter(([, each]) => each)) {
      const free = Object.keys(lines).filter((vertex) => lines[vertex] === Number(line) && !this.over.hints.some(({ at }) => at === vertex));
      const corners = free.filter(isCorner);
      for (const vertex of corners.length ? corners : free.slice(-1)) numbers[vertex] = `${Math.round(100 * odd)}%`;
    }
    return numbers;
  }
}

// Return the key of a moment: board, number of news items, events of the variation.
const keyOf = (of, { at, events = [] }) => `${of}:${at}${events.length ? JSON.stringify(events) : ""}`;
