// The list of moves, and the buttons to step through them. New moves are appended; the list is never rebuilt.

import { h, redraw } from "../../ui/dom.js";
import { named, nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";
import { shortText } from "../sentences.js";

/** @typedef {import("../timeline.js").Timeline} Timeline */

// Rows in one block; the browser skips blocks that are out of sight.
const BLOCK = 40;

export class MoveList extends Part {
  element = h("div", { class: "moves", onkeydown: (event) => this.#key(event) });
  /** @type {Timeline | null} */
  timeline = null;

  // Show the moves, and mark the current one.
  show() {
    const { timeline, here, isLive } = this.screen;
    if (timeline !== this.timeline) this.#begin(timeline);
    for (; this.count < timeline.length; this.count++) this.#add(this.count);
    const current = this.rows.get(timeline.current(here)) ?? null;
    if (current !== this.current) {
      this.current?.removeAttribute("aria-current");
      current?.setAttribute("aria-current", "step");
      this.current = current;
      this.#offer(current ?? this.rows.values().next().value);
    }
    if (isLive) this.element.scrollTop = this.element.scrollHeight;
    else if (current) this.#reveal(current);
  }

  // Scroll the list only, not the page: on a phone, the board must stay in sight.
  #reveal(row) {
    const list = this.element.getBoundingClientRect(), place = row.getBoundingClientRect();
    this.element.scrollTop += Math.min(0, place.top - list.top) + Math.max(0, place.bottom - list.bottom);
  }

  #begin(timeline) {
    this.timeline = timeline;
    this.count = 0;
    /** @type {Map<number, HTMLElement>} */
    this.rows = new Map();
    this.current = null;
    this.offered = null;
    this.element.replaceChildren();
  }

  #add(index) {
    const item = this.timeline.news[index];
    if (item.kind === "draw") return;
    const thrown = this.timeline.news[index - 1], cast = thrown?.kind === "draw" ? thrown.faces.join("+") : "", isMove = !item.refused && item.kind !== "other";
    const row = h("button", {
      type: "button", class: `move${item.refused ? " refused" : ""}`, tabindex: "-1", onclick: () => this.screen.go(this.timeline.after(index)),
    }, h("span", { class: "number" }, isMove ? `${this.timeline.numbers[index]}.` : "·"),
    item.actor ? h("i", { class: `dot ${item.actor}`, "aria-label": nameOf(item.actor), role: "img" }) : null,
    h("span", {}, shortText(item)), cast ? h("span", { class: "cast" }, h("span", { class: "unseen" }, named("draw")), cast) : null);
    if (this.rows.size % BLOCK === 0) this.element.append(h("ol", {}));
    this.element.lastElementChild.append(h("li", {}, row));
    this.rows.set(index, row);
  }

  // Only one move can be reached with Tab; the arrow keys move from there.
  #offer(row) {
    this.offered?.setAttribute("tabindex", "-1");
    row?.setAttribute("tabindex", "0");
    this.offered = row;
  }

  #key(event) {
    const rows = [...this.rows.values()], at = rows.indexOf(event.target);
    const to = { ArrowUp: at - 2, ArrowLeft: at - 1, ArrowRight: at + 1, ArrowDown: at + 2, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || !rows[to]) return;
    event.preventDefault();
    this.#offer(rows[to]);
    rows[to].focus();
  }
}

export class Steps extends Part {
  element = h("div", { class: "turning" });

  show() {
    const { timeline, here } = this.screen, isFirst = here === 0, isLast = here >= timeline.length;
    redraw(this.element, [isFirst, isLast], () =>
      [this.#button("first", "«", isFirst), this.#button("back", "‹", isFirst), this.#button("forward", "›", isLast), this.#button("last", "»", isLast)]);
  }

  /** @param {"first" | "back" | "forward" | "last"} key */
  take(key) {
    const { timeline, here } = this.screen;
    this.screen.go({ first: 0, back: timeline.step(here, -1), forward: timeline.step(here, 1), last: timeline.length }[key]);
  }

  #button(key, sign, isOff) {
    return h("button", {
      type: "button", class: "icon", "aria-label": say(key), title: say(key), disabled: isOff, "data-do": key, onclick: () => this.take(key),
    }, sign);
  }
}
