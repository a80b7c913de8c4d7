// A hidden game that is over: the referee's board and that of each seat side by side, at every moment, with what each
// seat did not know; and the game as each heard it.

import { Board } from "../../board/board.js";
import { h } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Timeline } from "../timeline.js";

/**
 * What a seat did not know: stones it did not see, stones that are not there where it thinks they are.
 * @param {Record<string, string>} truth
 * @param {Record<string, string>} known
 */
export function compare(truth, known) {
  return {
    unseen: Object.fromEntries(Object.entries(truth).filter(([vertex, colour]) => known[vertex] !== colour)),
    wrong: Object.keys(known).filter((vertex) => !truth[vertex]),
  };
}

/**
 * How much of the referee's news a seat has heard of that heard so much: the last moment at which it had heard no more.
 * @param {number[]} heardAt after how much of its news the seat was, at each piece of the referee's
 * @param {number} count
 */
export const refereeMoment = (heardAt, count) => heardAt.filter((heard) => heard <= count).length;

export class Unveiled {
  /** @param {import("../screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
    this.element = h("div", { class: "others", hidden: true });
    this.whole = null;
    /** @type {{ colour: string, timeline: Timeline, board: Board, button: HTMLElement, unseen: HTMLElement }[]} */
    this.views = [];
  }

  show() {
    const { whole, study } = this.screen;
    this.element.hidden = !whole.boards || Boolean(study.line);
    if (this.element.hidden) return;
    if (this.whole !== whole) this.#build(whole);
    this.#draw();
  }

  #build(whole) {
    const { describe, played } = this.screen;
    this.whole = whole;
    this.views = ["", ...describe.players].map((colour) => {
      const name = colour ? say("board of", { name: nameOf(colour) }) : say("referee");
      const board = new Board(describe), unseen = h("span", { class: "quiet" });
      board.element.setAttribute("aria-hidden", "true");
      const timeline = colour ? new Timeline({}, whole.heard[colour]) : played;
      const button = h("button", { type: "button", class: "small-board", onclick: () => this.#choose(view) }, h("span", {}, name), unseen, board.element);
      const view = { colour, timeline, board, button, unseen };
      return view;
    });
    this.element.replaceChildren(...this.views.map(({ button }) => button));
  }

  // The moment stays as far as that board knows it.
  #choose({ colour, timeline }) {
    const { screen } = this, at = this.#count(colour);
    screen.study.line = null;
    screen.set({ timeline, viewed: colour, at: at >= timeline.length ? null : at });
  }

  // How much of the news of a board belongs to what is shown.
  #count(colour) {
    const { viewed, here, whole } = this.screen;
    const all = viewed ? refereeMoment(whole.heard_at[viewed], here) : here;
    return colour ? whole.heard_at[colour][all - 1] ?? 0 : all;
  }

  #draw() {
    const truth = this.screen.played.moment(this.#count("")).stones;
    for (const { colour, timeline, board, button, unseen } of this.views) {
      const stones = colour ? timeline.moment(this.#count(colour)).stones : truth;
      const gaps = compare(truth, stones), count = Object.keys(gaps.unseen).length;
      board.draw({ stones, guesses: gaps.unseen, losing: [], dead: gaps.wrong });
      button.setAttribute("aria-pressed", String(colour === this.screen.viewed));
      unseen.textContent = colour ? say(count === 1 ? "did not see one" : "did not see", { count }) : "";
    }
  }

  /** What the seat whose board is shown did not know, for the large board. */
  onBoard() {
    const { viewed, moment, whole } = this.screen;
    if (!viewed || !whole.heard_at) return {};
    const { unseen } = compare(this.screen.played.moment(this.#count("")).stones, moment.stones);
    return { guesses: unseen };
  }
}
