// A board on which a real game is replayed while it can be seen: one move every three seconds, over and over.

import { Board } from "../board/board.js";
import { openPoints } from "../board/dice.js";
import { about, api } from "../data/net.js";
import { h } from "../ui/dom.js";
import { isMoving } from "../ui/parts.js";

const MOVE_MS = 3000;
const START = 0.6; // the part of the game shown first

/** @typedef {{ at?: string, put: Record<string, string>, open?: number[] }} Move the point played, the points it changed, the lines that were open */

export class LivingBoard {
  element = h("span", { class: "pic", "aria-hidden": "true" });
  isSeen = false;
  isAwaited = false; // whether the board is loaded as soon as it can be seen
  /** @type {Promise<any> | null} */
  loading = null;

  /** @param {string} name of the game */
  constructor(name) {
    this.name = name;
    this.seeing = new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1).isIntersecting;
      if (this.isAwaited) this.loadOnceSeen();
    });
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

  loadOnceSeen() {
    this.isAwaited = true;
    if (this.isSeen) this.load().catch(() => null);
  }

  async #load() {
    const game = await api(`/static/games/${this.name}.json`);
    const describe = await api(about("describe", game.spec, "&brief"));
    this.describe = describe;
    /** @type {Move[]} */
    this.moves = game.moves;
    this.board = new Board(describe);
    // A board that is about square fills its place.
    if (this.board.ratio < 1.2) this.board.element.setAttribute("preserveAspectRatio", "xMidYMid slice");
    this.element.append(this.board.element);
    this.#show(Math.floor(START * this.moves.length), false);
    this.playing = setInterval(() => this.isSeen && !document.hidden && isMoving() && this.#show(this.count + 1, true), MOVE_MS);
    return describe;
  }

  // Show the game after a number of moves; after the last one it begins again.
  #show(wanted, animate) {
    const { describe, moves } = this, [first] = describe.players, count = this.count = wanted > moves.length ? 1 : wanted;
    const put = Object.assign({}, ...moves.slice(0, count).map((move) => move.put)), stones = Object.fromEntries(Object.entries(put).filter(([, colour]) => colour));
    const isHidden = (vertex) => !describe.open && stones[vertex] !== first;
    const [seen, unseen] = [false, true].map((hidden) => Object.fromEntries(Object.entries(stones).filter(([vertex]) => isHidden(vertex) === hidden)));
    const draw = moves[count]?.open ? { open: moves[count].open } : null;
    this.board.draw({ stones: seen, guesses: unseen, last: moves[count - 1]?.at, animate, ...openPoints(describe.lines, draw, stones) });
  }
}
