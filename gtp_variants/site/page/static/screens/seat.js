// Takes a seat with an invitation, which works once.

import { games, keep, keepGame, kept, seatLink } from "../data/kept.js";
import { api, post } from "../data/net.js";
import { filled, h, onSubmit } from "../ui/dom.js";
import { rulesLink } from "../ui/parts.js";
import { capital, colon, nameOf, say } from "../ui/words.js";

export default class SeatScreen {
  /** @param {import("../main.js").Page} page */
  constructor({ main, asked }) {
    this.main = main;
    this.game = asked.get("game");
    this.invitation = asked.get("invite");
    // If this browser has already taken the seat, open the game.
    if (games()[this.game]?.link) this.#enter();
    else this.#invite();
  }

  end() {}

  // A person must confirm: programs that preview links must not take the seat.
  #invite() {
    const form = this.form = filled("invitation");
    form.name.value = kept("name", "");
    form.watch.href = seatLink(this.game);
    onSubmit(form.root, ({ name }) => this.#take(name.trim()), () => null);
    // Show which game it is, and who is waiting.
    api(`/api/games/${this.game}`).then(({ title, spec, seats }) => {
      const names = Object.entries(seats).filter(([, { name }]) => name).map(([colour, { name }]) => `${nameOf(colour)}${colon()}${name}`);
      form.heading.textContent = say("invited to", { game: title });
      form.what.replaceChildren(names.length ? `${names.join(", ")}. ` : "", rulesLink(spec, "rules"));
    }).catch(() => null);
    this.main.replaceChildren(form.root);
  }

  async #take(name) {
    const { form } = this;
    form.error.textContent = "";
    keep("name", name);
    try {
      await post(`/api/games/${this.game}/seat`, { invitation: this.invitation, ...(name ? { name } : {}) });
      keepGame(this.game, { link: seatLink(this.game) });
      this.#enter();
    } catch (problem) {
      const isPassing = !problem.status || problem.status === 429 || problem.status >= 500;
      if (isPassing) form.error.textContent = problem.status ? problem.message : say("no answer");
      else this.#refused(problem.message);
    }
  }

  #enter() {
    history.replaceState(null, "", seatLink(this.game));
    // Wait, so that `main.js` notes this screen before it opens the next.
    queueMicrotask(() => dispatchEvent(new Event("hashchange")));
  }

  #refused(why) {
    this.main.replaceChildren(h("section", { class: "card token" }, h("h1", {}, say("no seat")), h("p", { role: "alert" }, capital(why)),
      h("p", {}, h("a", { href: seatLink(this.game) }, say("watch instead")))));
  }
}
