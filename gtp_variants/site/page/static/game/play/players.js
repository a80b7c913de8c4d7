// The players beside the board: names, strength, captures, clocks. The opponents are above it, you below.

import { opponentAt, strengthOf } from "../../data/opponents.js";
import { h, redraw } from "../../ui/dom.js";
import { crest, titleOf } from "../../ui/parts.js";
import { language, named, nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { afterSeconds, clockText, countText } from "./clock.js";
import { total } from "./count.js";

const SHORT_S = 20;

export class Players extends Part {
  above = h("div", { class: "players" });
  below = h("div", { class: "players" });
  ticking = setInterval(() => this.tick(), 250);

  end() {
    clearInterval(this.ticking);
  }

  show() {
    const { state, seats, whole, describe, moment, mine } = this.screen;
    const last = whole.mine[0] ?? whole.you ?? describe.players.at(-1);
    const told = [state.asked, moment.captures, seats, mine, whole.referee, state.final, Boolean(state.clocks), state.result];
    redraw(this.above, told, () => describe.players.filter((colour) => colour !== last).map((colour) => this.#player(colour)));
    redraw(this.below, told, () => [this.#player(last)]);
    this.tick();
  }

  #player(colour) {
    const { state, seats, whole, moment, mine } = this.screen;
    const seat = seats[colour], isAsked = state.asked === colour && !state.final;
    const isOther = seat?.kind === "person" && !mine.includes(colour) && !whole.referee && !state.final;
    const tag = state.final && winnerOf(state) === colour ? "winner" : isAsked && mine.includes(colour) && !whole.referee ? "your turn" : "";
    return h("section", { class: `player${isAsked ? " asked" : ""}`, "aria-label": nameOf(colour) },
      crest(this.#who(colour), colour, seat),
      h("div", {}, h("strong", {}, this.#who(colour) || nameOf(colour)), tag ? h("span", { class: "tag" }, say(tag)) : null, h("span", { class: "rank" }, this.#rank(colour))),
      isOther ? h("span", { class: `here ${seat.here ? "is" : "not"}` }, say(seat.here ? "here" : seat.claimed ? "waiting" : "unclaimed")) : null,
      h("span", { class: "taken", title: say("took") }, h("span", { class: "unseen" }, named("took")), `⊙ ${moment.captures[colour] ?? 0}`),
      state.clocks ? h("time", { class: "clock", "data-colour": colour }) : this.#points(colour));
  }

  #who(colour) {
    const { seats, whole, mine } = this.screen, seat = seats[colour];
    if (!seat) return whole.players?.[colour] ?? "";
    if (whole.referee) return seat.name ?? "";
    if (mine.includes(colour)) return seat.name ? say("you as", { name: seat.name }) : say("you");
    return opponentAt(this.screen.describe.name, seat)?.name ?? titleOf(seat);
  }

  // Return the colour and the strength of a player, in words and as a number.
  #rank(colour) {
    const { seats, describe } = this.screen, seat = seats[colour] ?? {}, rating = opponentAt(describe.name, seat)?.rating;
    return [nameOf(colour), rating ? say(strengthOf(rating)) : seat.meaning?.[language()], seat.rating ?? rating].filter(Boolean).join(" · ");
  }

  // Return the points of a player when the game has been counted.
  #points(colour) {
    const { state, isLive } = this.screen, side = isLive && state.final && state.count?.sides[colour];
    return side ? h("span", { class: "score" }, String(total(side))) : null;
  }

  // Update the clocks between messages.
  tick() {
    const { state, since } = this.screen;
    if (!state?.clocks) return;
    for (const clock of [this.above, this.below].flatMap((each) => [...each.querySelectorAll(".clock")])) {
      const { colour } = /** @type {HTMLElement} */ (clock).dataset;
      const runs = state.running && state.asked === colour;
      const gone_s = runs ? Math.max(0, (performance.now() - since) / 1000 - (state.free_s ?? 0)) : 0;
      const told = { left_s: state.clocks[colour], count: state.periods?.[colour] ?? 0 };
      const left = afterSeconds(state.control ?? null, told, gone_s);
      const text = `${clockText(left.left_s, say("day"))}${countText(state.control ?? null, left)}`;
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("short", left.left_s < SHORT_S);
    }
  }
}

/** Return the colour that has won, or "" . @param {{ result?: string | null }} state */
export const winnerOf = ({ result }) => /^([BWR])\+/.exec(result ?? "")?.[1].toLowerCase() ?? "";
