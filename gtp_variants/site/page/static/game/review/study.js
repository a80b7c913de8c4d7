// The variations a user tries in a game: a tree to walk through and extend, kept by this browser.

import { keep, kept } from "../../data/kept.js";
import { h, redraw } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { place, spokenText } from "../sentences.js";
import { Timeline } from "../timeline.js";

/**
 * @typedef {import("../timeline.js").News} News
 * @typedef {{ at: number, events: [number, number][], news: News[], mover: string | null }} Line a variation after
 * the first `at` events of the game, and the side to move at its end
 */

// Limits of what the browser keeps: variations per game, games, and letters in all (a fifth of its room).
const MOST_LINES = 60, MOST_STUDIES = 20, MOST_LETTERS = 1_000_000;
const SHOWN_MOVES = 6;
const ANSWER_MS = 1500; // longest wait for an answer that may be lost

export class Study extends Part {
  tree = h("div", { class: "tree" });
  back = h("div", {});
  element = h("div", { class: "study", hidden: true }, h("h2", {}, say("variations")), this.back, this.tree);
  /** @type {Line[]} */
  lines = studyOf(this.screen.game);
  /** @type {Line | null} the variation shown; null for the game itself */
  line = null;
  /** @type {((line: Line) => void) | null} called with the awaited answer */
  then = null;
  askedAt = 0;

  /** True if variations are allowed: the game is no longer being played here, and nothing is hidden. */
  get isOn() {
    const { isOver, viewed } = this.screen;
    return isOver && !viewed;
  }

  /** The moment shown: the event of the game, and the events tried after it. */
  get path() {
    const { here } = this.screen, { line } = this;
    return line && here > line.at ? { at: line.at, events: line.events.slice(0, here - line.at) } : { at: here, events: [] };
  }

  /** The side to move at the moment shown. */
  get mover() {
    const { timeline, here, state, describe } = this.screen;
    const next = timeline.news.slice(here).find((item) => item.actor && item.kind !== "other");
    if (next) return next.actor;
    return this.line ? this.line.mover : state.to_play ?? describe.players[0];
  }

  /** Play a point or `pass`: follow a known line, or begin a new variation. @param {string} word */
  play(word) {
    const { screen, path } = this;
    const isSo = (item) => item && !item.refused && (item.kind === "place" ? item.at === word : item.kind === word);
    if (isSo(screen.timeline.news[screen.here])) {
      screen.go(screen.timeline.after(screen.here));
      return;
    }
    const known = this.lines.find((line) => leads(line, path) && isSo(line.news[path.events.length]));
    if (known) this.walk(known, path.at + path.events.length);
    else this.playAll([word]);
  }

  /** Try several moves in turn, and show the first. @param {string[]} words */
  playAll(words) {
    const { path } = this;
    this.#ask(path, words, (line) => this.walk(line, path.at + path.events.length));
  }

  /** Open the variation in a link, and show the moment after `count` of its news items. @param {string} text @param {number} count */
  open(text, count) {
    const [at, events = ""] = text.split("~");
    const pairs = events.split("_").map((pair) => pair.split(".").map(Number));
    this.#ask({ at: Number(at), events: pairs }, [], (line) => {
      this.#enter(line);
      this.screen.go(count);
    });
  }

  /** The part of a link that names the variation; "" for the game itself. */
  get link() {
    const { at, events } = this.path;
    return events.length ? `&line=${at}~${events.map((pair) => pair.join(".")).join("_")}` : "";
  }

  #ask(path, plays, then) {
    const { screen } = this;
    // One request at a time: each continues from the answer to the last.
    if (this.then && performance.now() - this.askedAt < ANSWER_MS) return;
    this.then = then;
    this.askedAt = performance.now();
    screen.asked = plays.length === 1 ? plays[0] : "";
    if (!screen.line.send({ do: "branch", ...path, plays })) screen.status.notice(say("not sent"), true);
  }

  /** Add a variation from the server. @param {Line & { type: string }} message */
  hear({ at, events, news, mover }) {
    const line = { at, events, news, mover };
    // A longer version of a known line replaces it.
    const shorter = this.lines.find((each) => leads(line, each));
    this.lines = shorter ? this.lines.map((each) => (each === shorter ? line : each)) : [...this.lines, line].slice(-MOST_LINES);
    keepStudy(this.screen.game, this.lines);
    const { then } = this;
    this.then = null;
    this.screen.status.forget();
    then?.(line);
  }

  #enter(line) {
    const { screen } = this;
    this.line = line;
    screen.timeline = new Timeline(screen.whole.setup, [...screen.played.news.slice(0, line.at), ...line.news]);
    screen.viewed = "";
  }

  /** Show a variation after the move that begins with news item `index`. @param {Line} line @param {number} index */
  walk(line, index = line.at) {
    const { screen } = this;
    this.#enter(line);
    const at = screen.timeline.after(index);
    for (const item of screen.timeline.news.slice(index, at)) screen.tellAloud(spokenText(item));
    screen.set({ at });
  }

  /** Return to the game, where it was left. */
  leave() {
    const { screen, line } = this;
    if (!line) return;
    this.line = null;
    screen.timeline = screen.played;
    screen.set({ at: Math.min(screen.here, line.at) });
  }

  /** @param {Line} line */
  #remove(line) {
    this.lines = this.lines.filter((each) => each !== line);
    keepStudy(this.screen.game, this.lines);
    if (this.line === line) this.leave();
    this.show();
    // The focused element is gone, so focus another.
    (this.element.querySelector("button") ?? this.screen.board.element).focus();
  }

  show() {
    const { screen, lines, line } = this;
    this.element.hidden = !this.isOn;
    if (!this.isOn) return;
    redraw(this.back, [Boolean(line), lines.length], () => [line
      ? h("button", { type: "button", id: "study-back", onclick: () => this.leave() }, say("to the game"))
      : lines.length ? null : h("p", { class: "quiet" }, say("variations how"))]);
    redraw(this.tree, [lines.map(({ at, events }) => [at, events]), line && lines.indexOf(line), screen.timeline.length], () => [this.#list(arrange(lines))]);
  }

  #list(nodes) {
    if (!nodes.length) return null;
    return h("ul", {}, nodes.map(({ line, from, nodes: below }) => h("li", {}, this.#row(line, from), this.#list(below))));
  }

  #row(line, from) {
    const index = this.lines.indexOf(line), items = line.news.slice(from).filter(({ kind }) => kind !== "draw");
    const number = (this.screen.played.numbers[line.at - 1] ?? 0) + line.news.slice(0, from).filter(isMove).length + 1;
    const words = items.slice(0, SHOWN_MOVES).map((item) => `${place(item)}${item.refused ? " ✗" : ""}`).join(" ");
    const text = `${number}. ${words}${items.length > SHOWN_MOVES ? " …" : ""}`;
    return h("div", { class: "row" },
      h("button", { type: "button", class: "branch", id: `branch-${index}`, "aria-current": line === this.line ? "true" : null, onclick: () => this.walk(line, line.at + from) },
        items[0]?.actor ? h("i", { class: `dot ${items[0].actor}`, role: "img", "aria-label": nameOf(items[0].actor) }) : null, h("span", {}, text)),
      h("button", { type: "button", class: "icon", id: `unbranch-${index}`, "aria-label": say("remove line", { line: text }), title: say("remove line", { line: text }), onclick: () => this.#remove(line) }, "✕"));
  }

  /** The variations as the server needs them to write a file. */
  get branches() {
    return this.lines.map(({ at, events }) => ({ at, events }));
  }
}

/** @typedef {Record<string, { lines: Line[], at: number }>} Studies the variations of each game, the latest last, and their time */

/** Return the stored variations of a game. @param {string} game @returns {Line[]} */
export const studyOf = (game) => kept("studies", {})[game]?.lines ?? [];

/** Store the variations of a game; if there is not enough room, drop the oldest. @param {string} game @param {Line[]} lines */
export function keepStudy(game, lines) {
  const all = { ...kept("studies", {}), [game]: { lines, at: Date.now() } };
  for (let most = MOST_LETTERS; most >= 1; most /= 2) if (keep("studies", latestStudies(all, most))) return;
  keep("studies", latestStudies(all, MOST_LETTERS));
}

/** Return the latest variations that fit into `most` letters. @param {Studies} all @param {number} most */
function latestStudies(all, most) {
  let letters = 0;
  const hasRoom = (line) => (letters += JSON.stringify(line).length) <= most;
  const latest = Object.entries(all).sort(([, one], [, other]) => other.at - one.at).slice(0, MOST_STUDIES);
  const found = latest.map(([game, { lines, at }]) => ({ game, at, lines: [...lines].reverse().filter(hasRoom).reverse() }));
  return Object.fromEntries(found.filter(({ lines }) => lines.length).map(({ game, ...study }) => [game, study]));
}

const isMove = ({ kind, refused }) => kind !== "draw" && kind !== "other" && !refused;
const isSame = ([a, b], [c, d]) => a === c && b === d;

/** Return true if a variation starts with another one. @param {{ at: number, events: any[] }} line @param {{ at: number, events: any[] }} beginning */
export const leads = (line, beginning) => line.at === beginning.at && common(line, beginning) === beginning.events.length;

// Return the number of leading events that two variations share.
function common(one, other) {
  const end = one.events.findIndex((event, index) => !other.events[index] || !isSame(event, other.events[index]));
  return one.at !== other.at ? 0 : end < 0 ? one.events.length : end;
}

/** Return variations as a tree: each below the earlier one with the longest common start, from event `from` on. @param {Line[]} lines */
export function arrange(lines) {
  const nodes = lines.map((line) => ({ line, from: 0, nodes: /** @type {any[]} */ ([]) }));
  const roots = [];
  nodes.forEach((node, index) => {
    let best = null;
    for (const other of nodes.slice(0, index)) {
      const shared = common(node.line, other.line);
      if (shared > node.from) [best, node.from] = [other, shared];
    }
    (best ? best.nodes : roots).push(node);
  });
  return roots.sort((a, b) => a.line.at - b.line.at);
}
