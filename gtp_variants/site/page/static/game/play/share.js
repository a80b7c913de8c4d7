// Sharing a game: invitations, and the link for spectators.

import { games, keepGame, seatLink } from "../../data/kept.js";
import { post } from "../../data/net.js";
import { h, redraw } from "../../ui/dom.js";
import { linkCard, shareLinks } from "../../ui/parts.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

export class Share extends Part {
  /** @type {HTMLElement | null} */
  invited = null;
  base = "";

  // Show the creator of a new game its invitations.
  welcome() {
    const { game, whole, seats } = this.screen, entry = games()[game];
    if (!whole.creator || entry?.isWelcome || Object.values(seats).every(({ claimed }) => claimed)) return;
    keepGame(game, { isWelcome: true });
    this.open();
  }

  open() {
    const { game, isLive, here, study } = this.screen;
    shareLinks((base) => {
      this.base = base;
      this.invited = h("div", {});
      this.show();
      return [h("p", {}, say("share how")), this.invited, linkCard(say("watch link"), `${base}/${seatLink(game)}`),
        isLive ? null : linkCard(say("moment link"), `${base}/${seatLink(game)}&at=${here}${study.link}`)];
    });
  }

  // Show the creator's invitations: a link to each open seat, a note for a taken seat.
  show() {
    const { game, seats, state, describe, whole } = this.screen;
    const { invitations = {} } = games()[game] ?? {};
    if (!this.invited || state.final) return;
    // A creator in another browser has no codes, but can make new ones.
    const colours = describe.players.filter((colour) => colour in invitations || (whole.creator && !seats[colour].claimed));
    redraw(this.invited, [invitations, Object.values(seats).map(({ claimed }) => claimed)], () => colours.map((colour) => this.#invitation(colour, invitations[colour])));
  }

  #invitation(colour, code) {
    const { game, seats } = this.screen, title = say("seat link", { name: nameOf(colour) });
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
