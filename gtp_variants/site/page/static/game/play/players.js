// The players: names, presence, captures, clocks.

import { h, redraw } from "../../ui/dom.js";
import { titleOf } from "../../ui/parts.js";
import { language, named, nameOf, say } from "../../ui/words.js";
import { afterSeconds, clockText, countText } from "./clock.js";

const SHORT_S = 20;

export class Players {
  /** @param {import("../screen.js").GameScreen} screen */
  constructor(screen) {
    this.screen = screen;
    this.element = h("div", { class: "players" });
    this.ticking = setInterval(() => this.tick(), 250);
  }

  end() {
    clearInterval(this.ticking);
  }

  show() {
    const { state, seats, whole, describe, moment, mine } = this.screen;
    redraw(this.element, [state.asked, moment.captures, seats, mine, whole.referee, state.final, Boolean(state.clocks)], () =>
      describe.players.map((colour) => this.#player(colour)));
    this.tick();
  }

  #player(colour) {
    const { state, seats, whole, moment, mine } = this.screen;
    const seat = seats[colour];
    const isOther = seat?.kind === "person" && !mine.includes(colour) && !whole.referee && !state.final;
    return h("div", { class: `player${state.asked === colour ? " asked" : ""}` },
      h("i", { class: `dot ${colour}`, "aria-hidden": "true" }),
      h("div", {}, h("strong", {}, nameOf(colour)), h("span", {}, this.#who(colour)), meaningOf(seat)),
      h("span", { class: "taken", title: say("took") }, h("span", { class: "unseen" }, named("took")), `⊙ ${moment.captures[colour] ?? 0}`),
      isOther ? h("span", { class: `here ${seat.here ? "is" : "not"}` }, presence(seat)) : null,
      state.clocks ? h("time", { class: "clock", "data-colour": colour }) : null);
  }

  #who(colour) {
    const { seats, whole, mine } = this.screen;
    const seat = seats[colour];
    if (!seat) return whole.players?.[colour] ?? "";
    if (whole.referee) return seat.name ?? "";
    if (mine.includes(colour)) return seat.name ? say("you as", { name: seat.name }) : say("you");
    return [titleOf(seat), seat.rating].filter(Boolean).join(" · ");
  }

  // Update the clocks between messages.
  tick() {
    const { state, since } = this.screen;
    if (!state?.clocks) return;
    for (const clock of this.element.querySelectorAll(".clock")) {
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

// Return the level of a bot in words.
function meaningOf(seat) {
  const meaning = seat?.meaning?.[language()];
  return meaning ? h("small", { class: "quiet" }, meaning) : null;
}

function presence(seat) {
  if (seat.here) return say("here");
  return seat.claimed ? say("waiting") : say("unclaimed");
}
