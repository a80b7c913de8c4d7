// Continues a game or variation from a moment: against a bot, from all sides, or by invitation.

import { beginGame } from "../../data/net.js";
import { h, showDialog } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";

/** Ask for the opponents, and begin a game from the moment shown. @param {import("../screen.js").default} screen */
export function playOn(screen) {
  const { mover } = screen.study, { players } = screen.describe, { you } = screen.whole;
  // A player of the game keeps their colour.
  const mine = players.includes(you) ? you : mover;
  const others = { kind: (kind) => Object.fromEntries(players.map((colour) => [colour, { kind: colour === mine ? "person" : kind }])) };
  const ways = { "on bot": others.kind("bot"), "on alone": others.kind("person"), "on link": others.kind("invited") };
  const dialog = showDialog(say("play on"), h("p", {}, say("on who", { name: nameOf(mover), you: nameOf(mine) })), h("div", { class: "ways" }, Object.entries(ways).map(([key, seats], index) => h("button", {
      type: "button", class: index ? "" : "main", "data-do": key, onclick: () => {
        dialog.close();
        beginGame({ from: screen.game, ...screen.study.path, seats }, screen.whole.title).catch(({ message }) => screen.status.notice(message, true));
      },
    }, say(key)))));
}

