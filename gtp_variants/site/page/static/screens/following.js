// Follows the games of a match or a bridge, one after another.

import { api } from "../data/net.js";
import { GameScreen } from "../game/screen.js";
import { h } from "../ui/dom.js";
import { say } from "../ui/words.js";

const LOOK_MS = 3000;

export class Following {
  constructor(main, source, game, tellAloud) {
    this.main = main;
    this.source = source;
    this.tellAloud = tellAloud;
    this.screen = null;
    this.game = null;
    this.wasOver = false;
    if (game) this.#show(game);
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
    const mine = games.filter(({ source }) => source === this.source);
    const isOn = ({ over, lost }) => !over && !lost;
    const now = mine.find(({ game }) => game === this.game);
    const next = mine.find(isOn);
    if (next && (!this.game || (this.wasOver && !(now && isOn(now))))) this.#show(next.game);
    else if (!this.game) this.main.replaceChildren(h("h1", { class: "unseen" }, say("live")), h("p", { class: "card" }, say("waiting for", { name: this.source })));
    this.wasOver = !(now && isOn(now));
    this.timer = setTimeout(() => this.#look(), LOOK_MS);
  }

  #show(game) {
    this.screen?.end();
    this.game = game;
    this.wasOver = false;
    this.screen = new GameScreen(this.main, game, { as: null, token: null }, this.tellAloud, () => {});
  }
}
