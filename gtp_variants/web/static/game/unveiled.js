// The end of a hidden game: the referee's board and that of each seat side by side, and the game as each heard it.

import { Board } from "../board.js";
import { h } from "../dom.js";
import { nameOf, say } from "../words.js";
import { Timeline } from "./timeline.js";

export class Unveiled {
  /** @param {import("./screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
    this.element = h("div", { class: "others", hidden: true });
    this.whole = null;
  }

  show() {
    const { whole, describe, moment } = this.screen;
    this.element.hidden = !whole.boards;
    if (!whole.boards || this.whole === whole) return;
    this.whole = whole;
    const views = [{ colour: "", timeline: this.screen.timeline, stones: moment.stones, name: say("referee") }];
    for (const colour of describe.players) {
      const timeline = new Timeline({}, whole.heard[colour]);
      views.push({ colour, timeline, stones: whole.boards[colour], name: say("board of", { name: nameOf(colour) }) });
    }
    const buttons = views.map((view) => {
      const board = new Board(describe);
      board.draw({ stones: view.stones });
      board.element.setAttribute("role", "img");
      board.element.setAttribute("aria-label", view.name);
      const choose = () => {
        for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
        this.screen.set({ timeline: view.timeline, at: null, viewed: view.colour });
      };
      const button = h("button", { type: "button", class: "small-board", "aria-pressed": String(!view.colour), onclick: choose },
        h("span", {}, view.name), board.element);
      return button;
    });
    this.element.replaceChildren(...buttons);
  }
}
