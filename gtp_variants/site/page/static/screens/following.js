// Follows the games of a match or a bridge, one after another.

import { api } from "../data/net.js";
import GameScreen from "../game/screen.js";
import { h } from "../ui/dom.js";
import { say } from "../ui/words.js";

const LOOK_MS = 3000;

export default class Following {
  screen = null;
  game = null;
  wasOver = false;

  /** @param {import("../main.js").Page} page */
  constructor(page) {
    this.page = page;
    this.source = page.asked.get("live");
    if (page.asked.has("game")) this.#show(page.asked.get("game"));
    this.#look();
  }

  end() {
    this.isEnded = true;
    clearTimeout(this.timer);
    this.screen?.end();
  }

  // Leave a finished game on the screen for a while.
  async #look() {
    const { games } = await api("/api/live").catch(() => ({ games: [] }));
    if (this.isEnded) return;
    const mine = games.filter(({ source }) => source === this.source), isOn = ({ over, lost }) => !over && !lost;
    const isOver = !mine.some((each) => each.game === this.game && isOn(each)), next = mine.find(isOn);
    if (next && (!this.game || (this.wasOver && isOver))) this.#show(next.game);
    else if (!this.game) this.page.main.replaceChildren(h("h1", { class: "unseen" }, say("live")), h("p", { class: "card" }, say("waiting for", { name: this.source })));
    this.wasOver = isOver;
    this.timer = setTimeout(() => this.#look(), LOOK_MS);
  }

  #show(game) {
    this.screen?.end();
    this.game = game;
    this.screen = new GameScreen({ ...this.page, asked: new URLSearchParams({ game }) }, false);
  }
}
