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

  /** Plan an empty point, or cancel the plan if it is that point. @param {string} vertex */
  choose(vertex) {
    const { screen } = this, isPlanned = vertex === this.at;
    if (!vertex || (screen.moment.stones[vertex] && !isPlanned)) return;
    this.at = isPlanned ? "" : vertex;
    screen.redrawBoard();
    screen.status.notice(say(isPlanned ? "planned no more" : "planned", { at: vertex }));
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
}
