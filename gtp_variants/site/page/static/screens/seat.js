// Takes a seat: with an invitation, which works once, or with a recovery word.

import { claimSeat, isAskedFor } from "../data/claims.js";
import { games, keep, seatLink } from "../data/kept.js";
import { api } from "../data/net.js";
import { h } from "../ui/dom.js";
import { nameInput } from "../ui/parts.js";
import { capital, colon, language, nameOf, say } from "../ui/words.js";

// Return the seat that this browser has already taken with an invitation.
const seatBy = (game, code) => games()[game]?.taken?.[code];

export class SeatScreen {
  constructor(main, game, invitation) {
    this.main = main;
    this.game = game;
    this.invitation = invitation;
    const colour = invitation && seatBy(game, invitation);
    if (colour) this.#enter(colour);
    else if (invitation) this.#invited();
    else this.#refused(say("seat elsewhere"));
    // Repeat a request that was not answered.
    if (!colour && invitation && isAskedFor(invitation)) this.#take();
  }

  end() {}

  // A person must confirm: programs that preview links must not take the seat.
  #invited() {
    this.name = nameInput("name");
    this.error = h("p", { class: "error", role: "alert" });
    const heading = h("h1", {}, say("invited"));
    // Show which game it is, and who is waiting.
    this.what = h("p");
    api(`/api/games/${this.game}`).then((known) => {
      heading.textContent = say("invited to", { game: known.title });
      this.what.replaceChildren(...this.#known(known));
    }).catch(() => null);
    this.main.replaceChildren(h("form", { class: "card token", onsubmit: (event) => { event.preventDefault(); this.#take(); } },
      heading, this.what, h("p", {}, say("invited how")),
      h("div", { class: "row" }, h("label", { for: "name" }, say("your name")), this.name),
      h("button", { class: "main", id: "take" }, say("take seat")), this.error,
      h("p", {}, this.#watch())));
  }

  #known({ spec, seats }) {
    const names = Object.entries(seats).filter(([, { name }]) => name).map(([colour, { name }]) => `${nameOf(colour)}${colon()}${name}`);
    const plain = encodeURIComponent(spec.replace(/,?lang=\w+/, ""));
    return [names.length ? `${names.join(", ")}. ` : null, h("a", { href: `/api/rules?lang=${language()}&spec=${plain}`, target: "_blank", rel: "noopener" }, say("rules"))].filter(Boolean);
  }

  async #take() {
    const known = seatBy(this.game, this.invitation);
    if (known) return this.#enter(known);
    this.error.textContent = "";
    const name = this.name.value.trim();
    keep("name", name);
    try {
      const taken = (colour) => ({ taken: { ...games()[this.game]?.taken, [this.invitation]: colour } });
      this.#enter(await claimSeat(this.game, { invitation: this.invitation }, name, taken));
    } catch (problem) {
      if (problem.isPassing) this.error.textContent = problem.status ? problem.message : say("no answer");
      else this.#refused(problem.message);
    }
  }

  // The link opens no seat: ask for a recovery word.
  #refused(why) {
    const input = h("input", { id: "recovery", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true });
    const error = h("p", { class: "error", role: "alert" });
    const recover = async (event) => {
      event.preventDefault();
      error.textContent = "";
      try {
        this.#enter(await claimSeat(this.game, { recovery: input.value }));
      } catch (problem) {
        error.textContent = problem.status ? problem.message : say("no answer");
      }
    };
    this.main.replaceChildren(h("form", { class: "card token", onsubmit: recover },
      h("h1", {}, say("no seat")), h("p", { role: "alert" }, capital(why)), h("p", {}, this.#watch()),
      h("p", {}, h("label", { for: "recovery" }, say("recover how"))),
      h("div", { class: "row" }, input, h("button", { class: "main" }, say("recover"))), error));
  }

  #watch() {
    return h("a", { href: seatLink(this.game) }, say("watch instead"));
  }

  #enter(colour) {
    history.replaceState(null, "", seatLink(this.game, colour));
    // Later, so that `main.js` can first note this screen and then replace it.
    queueMicrotask(() => dispatchEvent(new Event("hashchange")));
  }
}

// Return the recovery words, which are shown only once.
export const recoveryNote = (words) => h("section", { class: "recovery" }, h("h3", {}, say("recovery word")),
  Object.entries(words).map(([colour, word]) => h("p", {}, `${nameOf(colour)} `, h("code", {}, word))),
  h("p", { class: "quiet" }, say("recovery how")));
