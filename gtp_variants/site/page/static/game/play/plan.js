// A move planned during the others' turn. This browser alone knows it until the turn comes.

import { say } from "../../ui/words.js";
import { Part } from "../part.js";

export class Plan extends Part {
  at = "";

  /** True if a point may be planned now. */
  get isOn() {
    const { state, whole, mine, isLive, isMine } = this.screen;
    const isPlaying = !state.final && !state.suspended && !state.counting && mine.length === 1 && !state.left.includes(whole.you);
    return this.screen.setting("plan") && isLive && !isMine && isPlaying && !whole.referee;
  }

  show() {
    if (!this.screen.setting("plan") || this.screen.state.final) this.at = "";
  }

  /** Plan an empty point, or cancel the plan if it is planned already. @param {string} vertex */
  choose(vertex) {
    if (vertex === this.at) this.cancel();
    else if (!this.screen.moment.stones[vertex]) this.#set(vertex, "planned");
  }

  cancel() {
    if (this.at) this.#set("", "planned no more");
  }

  /** Return the planned point once, when the turn has come and allows it; "" for none. */
  take() {
    const { at, screen: { state, whole, status } } = this;
    if (!at || state.asked !== whole.you) return "";
    this.at = "";
    if (state.legal.includes(at) && !state.suspended && !state.counting) return at;
    status.notice(say("planned in vain", { at }));
    return "";
  }

  #set(vertex, key) {
    const at = vertex || this.at;
    this.at = vertex;
    this.screen.redrawBoard();
    this.screen.status.notice(say(key, { at }));
  }
}
