// The buttons for the actions possible now: one row of actions, three when the game is over, and the tools.

import { plain } from "../../data/net.js";
import { confirmFirst, h, redraw } from "../../ui/dom.js";
import { say } from "../../ui/words.js";
import { Part } from "../part.js";
import { playOn } from "../review/play_on.js";

export class Buttons extends Part {
  element = h("div", { class: "buttons", role: "toolbar", "aria-label": say("actions") });
  trio = h("div", { class: "trio" });
  hasPass = false; // whether the game has been seen to have a pass
  tools = h("div", { class: "links" });

  show() {
    const now = this.#possible(), { final } = this.screen.state;
    for (const [element, place] of [[this.element, "row"], [this.trio, "end"], [this.tools, "tool"]]) {
      const here = now.filter(({ key }) => placeOf(key, final) === place);
      redraw(element, [here, this.screen.tapped], () => here.map((each) => this.#button(each)));
    }
  }

  // Return the actions in the order shown; toggles have `isOn`. What is possible later or at one's turn alone keeps
  // its place, and `isOff` until then.
  #possible() {
    const { state, whole, seats, timeline, help, isMine, isLive, study } = this.screen;
    const { final, counting, suspended, legal } = state;
    const people = Object.values(seats).filter((seat) => seat.kind === "person").length;
    const isAlone = people === 1 && !whole.strict;
    const found = [];
    if (this.screen.tapped) return [{ key: "cancel", kind: "" }, { key: "confirm point", kind: "main" }];
    const add = (isPossible, key, kind = "", isOn = undefined, isOff = false) => isPossible && found.push({ key, kind, isOn, isOff });
    if (!final && whole.you && !state.left.includes(whole.you)) {
      const asksEnd = counting || (suspended && isMine);
      const isProposed = help.seemDead?.length > 0;
      add(isProposed, "mark dead", "main");
      add(asksEnd && !(state.count_agreed ?? []).includes(whole.you), "agree", isProposed ? "" : "main");
      add(state.agreements?.includes("resume"), "resume");
      const isPassing = isMine && legal.includes("pass");
      this.hasPass ||= isPassing;
      add(!asksEnd && this.hasPass, "pass", "", undefined, !isPassing);
      add(isMine && legal.includes("swap"), "swap");
      add(whole.open && !whole.strict, "undo", "", undefined, !timeline.hasStones);
      add(isAlone, "hint", "", undefined, !isMine);
      add(isAlone && !whole.open && !whole.referee, "hidden odds", "", Boolean(help.over.hidden), !isMine);
      add(!whole.open && !whole.referee && !counting, "mark", "", this.screen.isMarking);
      add(state.draws, "draw offer");
      add(state.abortable, "abort");
      add(true, "resign");
    }
    add(study.isOn && study.mover && (!isLive || study.line || !state.over), "pass");
    add(this.screen.canAnalyse && whole.open && !isLive && study.mover, "play on");
    const isSeated = whole.you && !whole.referee && final && !whole.strict;
    add(isSeated && !this.screen.again.includes(whole.you), "again game", "main");
    add(this.screen.canAnalyse, "analysis", "", this.screen.isAnalysing);
    add(true, "share");
    add(true, "rules");
    return found;
  }

  #button({ key, kind, isOn, isOff }) {
    return h("button", {
      type: "button", class: kind, "data-do": key, title: key === "mark" ? say("mark how") : null,
      "aria-pressed": isOn === undefined ? null : String(isOn), "aria-disabled": isOff ? "true" : null, onclick: () => isOff || this.press(key),
    }, key === "confirm point" ? say("play point", { at: this.screen.tapped }) : say(key));
  }

  /** @param {string} key */
  press(key) {
    const { screen } = this;
    const acts = {
      pass: () => (screen.study.isOn && !screen.isMine ? screen.study.play("pass") : screen.do("pass")),
      "mark dead": () => screen.help.markDead(), agree: () => screen.do("pass"), "hidden odds": () => screen.help.imagine(),
      mark: () => screen.set({ isMarking: !screen.isMarking }), analysis: () => screen.set({ isAnalysing: !screen.isAnalysing }),
      resign: () => confirmFirst("resign", () => screen.do("resign")), abort: () => confirmFirst("abort", () => screen.do("abort")),
      share: () => screen.share.open(), rules: () => screen.rules.open(plain(screen.whole.spec)), "play on": () => playOn(screen),
      cancel: () => screen.propose(""), "confirm point": () => screen.confirm(),
      "draw offer": () => screen.do("draw"), "again game": () => screen.do("again"), resume: () => screen.do("agree", { words: "resume" }),
    };
    (acts[key] ?? (() => screen.do(key)))();
  }

  /** Return the action of a key if its button is shown. @param {string} key */
  pressIfThere(key) {
    if (this.#possible().some((each) => each.key === key && !each.isOff)) this.press(key);
  }
}

const AT_END = ["again game", "analysis", "share"];

// Return where a button stands: in the "row" of actions, at the "end" of a finished game, or among the "tool"s.
function placeOf(key, isFinal) {
  if (["rules", "abort"].includes(key) || (key === "share" && !isFinal)) return "tool";
  return AT_END.includes(key) ? "end" : "row";
}
