// Computed help: hints, dead stones, hidden stones, odds of draws, analyses of moments.

import { h, redraw } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";

const ASK_MS = 200; // a moment is shown this long before it is analysed
const LEAST_PART = 0.02;
const SHOWN_FROM = 8; // smallest share, in hundredths, with room for a number in its bar

export class Help {
  /** @param {import("../screen.js").default} screen */
  constructor(screen) {
    this.screen = screen;
    this.rates = h("div", { class: "rates", role: "img", hidden: true });
    /** @type {Record<string, any>} analyses by board and number of news items */
    this.analyses = {};
    this.forget();
  }

  // Forget help for the moment before an event.
  forget() {
    this.#clear();
    this.odds = null;
    this.seemDead = null;
    this.proposal = ""; // which stones seem dead, and the result without them
  }

  // Show one overlay on the points at a time: two would hide each other.
  #clear() {
    this.hints = [];
    this.owners = {};
    this.shares = {};
    this.hidden = null;
  }

  /** Handle a message, and return true if it answers a request for help. @param {any} message */
  hear(message) {
    const isNow = message.turn === this.screen.state?.turn;
    switch (message.type) {
      case "hint": if (isNow) this.#hint(message); break;
      case "seem_dead": if (isNow) this.#judge(message); break;
      case "hidden": if (isNow) this.#locate(message); break;
      case "odds": this.#put({ odds: message.odds }); break;
      case "analysis":
        this.analyses[keyOf(message.of, message)] = { ...message, moves: message.moves?.filter(({ part }) => part >= LEAST_PART) };
        this.screen.show();
        this.screen.curve.hear(message);
        break;
      default: return false;
    }
    return true;
  }

  #put(found) {
    Object.assign(this, found);
    this.screen.status.forget();
    this.screen.show();
  }

  #hint({ at, moves, shares, owners }) {
    this.#clear();
    this.owners = owners;
    this.shares = shares;
    this.hints = moves.length ? moves.filter(({ part }) => part >= LEAST_PART) : [{ at, part: 1 }];
    const shown = { pass: say("pass"), resign: say("resign"), swap: say("swap") }[at] ?? at;
    this.screen.status.notice(say("hint is", { at: shown }));
    this.screen.show();
  }

  #locate({ odds }) {
    this.#clear();
    this.#put({ hidden: odds });
  }

  // Ask people to agree on chains that a search finds dead and nobody has marked.
  #judge({ chains, result }) {
    this.proposal = chains.length ? say("seem dead", { points: chains.flat().join(" "), result }) : "";
    if (this.proposal) this.screen.tellAloud(this.proposal);
    this.#put({ seemDead: chains });
  }

  markDead() {
    const at = (this.seemDead ?? []).map(([first]) => first);
    this.seemDead = [];
    this.proposal = "";
    this.screen.do("dead", { at });
  }

  askDead() {
    const { state, whole } = this.screen;
    const { counting, suspended, dead, final } = state;
    if (final || !whole.you || !dead || dead.length || this.seemDead || !(counting || suspended)) return;
    this.seemDead = [];
    this.screen.do("seem_dead");
  }

  // Show the odds of hidden stones, from the knowledge of this seat.
  imagine() {
    if (this.hidden) this.#put({ hidden: null });
    else this.screen.do("hidden");
  }

  toggleOdds() {
    if (this.odds) this.#put({ odds: null });
    else this.screen.do("odds");
  }

  /** Return the analysis of the moment shown, and request it if it is missing. */
  ofMoment() {
    const { screen } = this;
    clearTimeout(this.asking);
    if (screen.isAnalysing && screen.canAnalyse) {
      const { path } = screen.study;
      const known = this.analyses[keyOf(screen.viewed, path)];
      if (!known) this.asking = setTimeout(() => screen.line.send({ do: "analysis", ...path, of: screen.viewed }), ASK_MS);
      return known ?? {};
    }
    return screen.isLive ? { moves: this.hints, owners: this.owners, shares: this.shares, odds: this.hidden } : {};
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
    const { lines, points, grid: [width] } = this.screen.describe;
    const numbers = {}, others = {};
    for (const [vertex, line] of Object.entries(lines)) {
      const [x, y] = points[vertex][0];
      if (!this.odds[line] || this.hints.some(({ at }) => at === vertex)) continue;
      if (x === y || x === width - 1 - y) numbers[vertex] = line;
      else others[line] = vertex;
    }
    const shown = new Set(Object.values(numbers));
    for (const [line, vertex] of Object.entries(others)) if (!shown.has(Number(line))) numbers[vertex] = line;
    return Object.fromEntries(Object.entries(numbers).map(([vertex, line]) => [vertex, `${Math.round(100 * this.odds[line])}%`]));
  }
}

// Return the key of a moment: board, number of news items, events of the variation.
const keyOf = (of, { at, events = [] }) => `${of}:${at}${events.length ? JSON.stringify(events) : ""}`;
