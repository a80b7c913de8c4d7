// Sharing a game: invitations, and the link for spectators.

import { games, keepGame, seatLink } from "../../data/kept.js";
import { api, post } from "../../data/net.js";
import { h, openDialog } from "../../ui/dom.js";
import { isLocal, linkCard } from "../../ui/parts.js";
import { nameOf, say } from "../../ui/words.js";

export class Share {
  /** @param {import("../screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
    /** @type {HTMLElement | null} */
    this.invited = null;
    this.key = "";
    this.base = "";
  }

  // Show the creator of a new game its invitations.
  welcome() {
    const { game, whole, seats } = this.screen, entry = games()[game];
    if (!whole.creator || entry?.isWelcome || Object.values(seats).every(({ claimed }) => claimed)) return;
    keepGame(game, { isWelcome: true });
    this.open();
  }

  async open() {
    const { addresses } = await api("/api/about").catch(() => ({ addresses: [] }));
    this.base = addresses[0] ?? location.origin;
    this.invited = h("div", {});
    this.key = "";
    this.show();
    const dialog = h("dialog", { class: "share", "aria-label": say("share") }, h("h2", {}, say("share")), h("p", {}, say("share how")),
      addresses.length || !isLocal() ? null : h("p", { class: "quiet" }, say("only here")),
      this.invited,
      linkCard(say("watch link"), `${this.base}/${seatLink(this.screen.game)}`),
      this.screen.isLive ? null : linkCard(say("moment link"), `${this.base}/${seatLink(this.screen.game)}&at=${this.screen.here}${this.screen.study.link}`),
      h("button", { type: "button", onclick: () => dialog.close() }, say("close")));
    openDialog(dialog);
  }

  // Show the creator's invitations: a link to each open seat, a note for a taken seat.
  show() {
    const { game, seats, state, describe, whole } = this.screen;
    const { invitations = {} } = games()[game] ?? {};
    const key = JSON.stringify([invitations, Object.values(seats).map(({ claimed }) => claimed)]);
    if (!this.invited || state.final || key === this.key) return;
    this.key = key;
    // A creator in another browser has no codes, but can make new ones.
    const colours = describe.players.filter((colour) => colour in invitations || (whole.creator && !seats[colour].claimed));
    this.invited.replaceChildren(...colours.map((colour) => this.#invitation(colour, invitations[colour])));
  }

  #invitation(colour, code) {
    const { game, seats } = this.screen;
    const title = say("seat link", { name: nameOf(colour) });
    if (seats[colour].claimed) return h("p", { class: "link" }, h("strong", {}, title), ` ${say("seat taken")}`);
    const card = code ? linkCard(title, `${this.base}/#game=${game}&invite=${code}`) : h("section", { class: "link" }, h("h3", {}, title));
    card.append(h("button", { type: "button", class: "renew", onclick: () => this.#renew(colour) }, say("renew")));
    return card;
  }

  async #renew(colour) {
    const { game } = this.screen;
    try {
      const { invitation } = await post(`/api/games/${game}/invitation`, { colour });
      keepGame(game, { invitations: { ...games()[game]?.invitations, [colour]: invitation } });
      this.show();
    } catch (problem) {
      this.screen.status.notice(problem.message, true);
    }
  }
}
