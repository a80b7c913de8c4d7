// The state of the game in words: the turn, the dice, the referee's announcements, and proposals.

import { openPoints, shownDice } from "../../board/dice.js";
import { h, redraw } from "../../ui/dom.js";
import { isMoving } from "../../ui/parts.js";
import { afterPress } from "../../ui/press.js";
import { capital, nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { openText } from "../sentences.js";
import { winnerOf } from "./players.js";

const NOTE_MS = 6000;

export class Status extends Part {
  element = h("div", { class: "status" });
  throwing = h("div", { class: "throwing" });
  saying = h("div", { class: "saying" });
  ruler = h("ol", { class: "ruler", "aria-label": say("ruler") });
  slot = h("section", { class: "card slot" }, this.element, this.throwing, this.ruler, this.saying, this.screen.buttons.trio);
  banner = h("div", { class: "banner" });
  note = "";
  isWarning = false;

  show() {
    const text = this.text(), more = this.#more(), verdict = this.#verdict(), { state, isMine } = this.screen;
    this.slot.classList.toggle("result", Boolean(state.final));
    this.slot.classList.toggle("heard", !this.screen.whole.open && !state.final);
    redraw(this.element, [text, more, state.asked, state.final, isMine, this.screen.next, verdict], () => [
      verdict ? h("p", { class: "verdict" }, verdict) : null,
      h("p", { class: `big${isMine ? " mine" : ""}` },
        state.asked && !state.final ? h("i", { class: `dot ${state.asked}`, "aria-hidden": "true" }) : null, text),
      ...more.map((line) => h("p", { class: "quiet" }, line)),
      this.screen.next ? h("p", {}, h("a", { href: this.screen.next }, say("to again"))) : null]);
    this.#throw(this.screen.isThrown);
    this.#say();
    this.showBanner();
  }

  /** Return whose turn it is, or the result. */
  text() {
    const { state, whole, seats, isLive, here, timeline, study } = this.screen;
    const { asked, final, counting, suspended, reason } = state;
    const isYours = asked === whole.you && !whole.referee;
    const number = `${timeline.numbers[here - 1] ?? 0} / ${timeline.numbers.at(-1) ?? 0}`;
    if (!isLive) return say(study.line ? "move tried" : "move", { number });
    if (final) return capital(reason || say(state.over ? "over" : "record"));
    if (counting) return say("counting");
    if (suspended && asked) return isYours ? say("your end") : say("asked end", { name: nameOf(asked) });
    if (asked && isYours) return say("your turn");
    if (asked && ["bot", "elsewhere"].includes(seats[asked]?.kind)) return say("thinks", { name: nameOf(asked) });
    if (asked) return say("turn of", { name: nameOf(asked) });
    return state.waiting ? say(whole.strict ? "soon" : "dice wait") : "";
  }

  // Return "You won" or "You lost" for a player of a finished game.
  #verdict() {
    const { state, whole, isLive, mine } = this.screen, winner = winnerOf(state);
    if (!state.final || !isLive || !winner || whole.referee || mine.length !== 1) return "";
    return say(winner === mine[0] ? "you won" : "you lost");
  }

  #more() {
    const { state, whole, isLive, isSilent, isKept, help, again } = this.screen, { suspended, counting } = state;
    const end = [state.match, isLive && this.#rated(), again.length && this.#again()];
    const on = [
      suspended && state.dead && isLive && !counting && (help.proposal || say("dead how")),
      suspended && state.reason && capital(state.reason),
      counting && isLive && help.proposal, counting && isLive && this.#agreed(),
      !whole.you && say("watch"),
      whole.referee ? say("referee how") : !whole.open && !counting && say(whole.you ? "hidden" : "watch hidden"),
      state.coming_dice && say("dice coming", { dice: state.coming_dice }),
      isSilent && say("silent"),
    ];
    return [...(state.final ? end : on), !isKept && say("not kept")].filter(Boolean);
  }

  // Return the player's rating before and after a rated game.
  #rated() {
    const { state, mine } = this.screen, rating = mine.length === 1 && state.rating?.[mine[0]];
    return rating ? say("rating moved", { before: rating[0], after: rating[1] }) : "";
  }

  // Return who has accepted the count.
  #agreed() {
    const { whole, state: { count_agreed: agreed = [] } } = this.screen;
    if (whole.you && agreed.includes(whole.you)) return say("count mine");
    return agreed.length ? say("count theirs", { name: agreed.map(nameOf).join(", ") }) : "";
  }

  // Return who wants a rematch.
  #again() {
    const { again, whole } = this.screen;
    return again.includes(whole.you) ? say("wish mine") : say("again theirs", { name: again.map(nameOf).join(", ") });
  }

  #throw(isThrown) {
    const { state, moment, describe, isLive } = this.screen;
    const item = moment.draw;
    const isShown = "draw" in state && Boolean(describe.lines && item) && !state.final;
    this.throwing.hidden = this.ruler.hidden = !isShown;
    if (!isShown) return;
    const draw = (isLive ? state.draw : null) ?? item.draw ?? { open: [], drawn: [], total: 0 };
    const sides = Number(item.dice.split("d")[1]);
    redraw(this.throwing, [item.faces, draw, item.dice, isThrown && performance.now(), this.screen.isMine], () =>
      [shownDice(item.faces, sides, isThrown && isMoving()), h("p", {}, item.faces.length ? this.#sentence(draw) : say("draw none"))]);
    const most = Math.max(...Object.values(describe.lines));
    redraw(this.ruler, draw.open, () => Array.from({ length: most }, (_, index) => h("li", { class: draw.open.includes(index + 1) ? "on" : "" }, String(index + 1))));
  }

  // Return what the throw allows, in one sentence: for whoever is to play, where; else which lines are open, and why.
  #sentence(draw) {
    const { open, drawn = open } = draw, { isMine, describe, moment } = this.screen;
    if (!isMine || !open.length || drawn.join() !== open.join()) return openText(draw);
    const count = openPoints(describe.lines, draw, moment.stones).open.length;
    return say(open.length > 1 ? "may play lines" : "may play line", { lines: open.join(", "), count });
  }

  #say() {
    const { said } = this.screen.moment;
    this.saying.hidden = !said.length;
    redraw(this.saying, said, () => [h("span", { class: "quiet" }, say("announced")), ...said.map((text) => h("p", {}, text))]);
  }

  /** Show a message for a while. @param {string} text */
  notice(text, isWarning = false) {
    this.note = text;
    this.isWarning = isWarning;
    this.showBanner();
    if (text !== "…") this.screen.tellAloud(text);
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => afterPress(() => this.note === text && this.forget()), NOTE_MS);
  }

  forget() {
    this.note = "";
    if (this.screen.state) this.showBanner();
  }

  /** Return the proposals of others, and the current message. */
  showBanner() {
    const { state, whole } = this.screen;
    const wish = whole?.you ? state?.wish : null;
    this.banner.hidden = !wish && !this.note;
    redraw(this.banner, [wish, whole?.you, this.note, this.isWarning], () => [
      wish ? this.#wish(wish) : null,
      this.note ? h("p", { class: this.isWarning ? "error" : "" }, this.note) : null]);
  }

  #wish(wish) {
    const { screen } = this;
    // An agreement's words are a word and perhaps a number: `match 2 black_moves` is described by "wish match black_moves".
    const words = (wish.words ?? wish.what).split(" "), isWord = (word) => !/^\d/.test(word);
    const what = words.find((word) => !isWord(word)) ?? "";
    const text = say(`wish ${words.filter(isWord).join(" ")}`, { name: nameOf(wish.colour), dice: wish.dice ?? "", what });
    const answer = (key, kind = "") => h("button", { type: "button", class: kind, "data-do": key, onclick: () => screen.do(key) }, say(key));
    if (wish.agreed.includes(screen.whole.you)) return [h("p", {}, text), h("p", { class: "quiet" }, say("wish mine"))];
    const isAsked = wish.asked.includes(screen.whole.you);
    return [h("p", {}, text), isAsked ? h("div", { class: "row" }, answer("allow", "main"), answer("refuse")) : null];
  }
}
