// A finished hidden game: the boards of the referee and the seats side by side at every moment, with what each seat did
// not know, and the game as each seat heard it.

import { Board } from "../../board/board.js";
import { h } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { Timeline } from "../timeline.js";

/**
 * Return the points a seat was wrong about: unseen stones, and stones it wrongly assumed.
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
 * Return the number of the referee's news items at the last moment when a seat had `count` items.
 * @param {number[]} heardAt the seat's number of items at each item of the referee
 * @param {number} count
 */
export const refereeMoment = (heardAt, count) => heardAt.filter((heard) => heard <= count).length;

export class Unveiled extends Part {
  element = h("div", { class: "others", hidden: true });
  whole = null;
  /** @type {{ colour: string, timeline: Timeline, board: Board, button: HTMLElement, unseen: HTMLElement }[]} */
  views = [];

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
      const button = h("button", { type: "button", class: "small-board", onclick: () => this.#choose(colour, timeline) }, h("span", {}, name), unseen, board.element);
      return { colour, timeline, board, button, unseen };
    });
    this.element.replaceChildren(...this.views.map(({ button }) => button));
  }

  // Show another board at the same moment of the game.
  #choose(colour, timeline) {
    const { screen } = this, at = this.#count(colour);
    screen.study.line = null;
    screen.set({ timeline, viewed: colour, at: at >= timeline.length ? null : at });
  }

  // Return the number of news items of a board at the moment shown.
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

  /** The points the seat shown was wrong about, for the large board. */
  onBoard() {
    const { viewed, moment, whole, played } = this.screen;
    return viewed && whole.heard_at ? { guesses: compare(played.moment(this.#count("")).stones, moment.stones).unseen } : {};
  }
}
