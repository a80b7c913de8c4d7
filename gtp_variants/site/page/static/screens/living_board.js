// A board on which a real game is replayed while it can be seen: one move every three seconds, over and over.

import { Board } from "../board/board.js";
import { openPoints } from "../board/dice.js";
import { api } from "../data/net.js";
import { h } from "../ui/dom.js";
import { isMoving } from "../ui/parts.js";
import { language } from "../ui/words.js";

const MOVE_MS = 3000;
const START = 0.6; // the part of the game shown first

/** @typedef {{ at?: string, put: Record<string, string>, open?: number[] }} Move the point played, the points it changed, the lines that were open */

export class LivingBoard {
  /** @param {string} name of the game */
  constructor(name) {
    this.name = name;
    this.element = h("span", { class: "pic", "aria-hidden": "true" });
    this.isSeen = false;
    /** @type {Promise<any> | null} */
    this.loading = null;
    this.seeing = new IntersectionObserver(([entry]) => { this.isSeen = entry.isIntersecting; });
    this.seeing.observe(this.element);
  }

  end() {
    clearInterval(this.playing);
    this.seeing.disconnect();
  }

  /** Load the game and its board, once; return the board's description. */
  load() {
    this.loading ??= this.#load();
    return this.loading;
  }

  async #load() {
    const game = await api(`/static/games/${this.name}.json`);
    const describe = await api(`/api/describe?brief&lang=${language()}&spec=${encodeURIComponent(game.spec)}`);
    this.describe = describe;
    /** @type {Move[]} */
    this.moves = game.moves;
    this.board = new Board(describe);
    // A board that is about square fills its place.
    if (this.board.ratio < 1.2) this.board.element.setAttribute("preserveAspectRatio", "xMidYMid slice");
    this.element.append(this.board.element);
    this.#start(Math.floor(START * this.moves.length));
    this.playing = setInterval(() => this.isSeen && !document.hidden && isMoving() && this.#next(), MOVE_MS);
    return describe;
  }

  #start(count) {
    this.count = 0;
    this.stones = {};
    while (this.count < count) this.#take();
    this.#draw(false);
  }

  #next() {
    if (this.count >= this.moves.length) this.#start(0);
    this.#take();
    this.#draw(true);
  }

  #take() {
    for (const [vertex, colour] of Object.entries(this.moves[this.count++].put)) {
      if (colour) this.stones[vertex] = colour;
      else delete this.stones[vertex];
    }
  }

  #draw(animate) {
    const { stones, describe, count, moves } = this, [first] = describe.players;
    const isHidden = (vertex) => !describe.open && stones[vertex] !== first;
    const [seen, unseen] = [false, true].map((hidden) => Object.fromEntries(Object.entries(stones).filter(([vertex]) => isHidden(vertex) === hidden)));
    const draw = moves[count]?.open ? { open: moves[count].open } : null;
    this.board.draw({ stones: seen, guesses: unseen, last: moves[count - 1]?.at, animate, ...openPoints(describe.lines, draw, stones) });
  }
}
