// The count of a game decided by score: the owner of every point, and a table of the totals to check.

import { h, redraw } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

/** A side has `prisoners` in a count of territory, `stones` in a count of area.
 * @typedef {{ stones?: number, prisoners?: number, territory: string[], komi: number }} Side
 * @typedef {{ sides: Record<string, Side>, neutral: string[] }} CountOf */

/** @param {Side} side */
const pieces = (side) => side.prisoners ?? side.stones ?? 0;

export class Count extends Part {
  element = h("div", { class: "count", hidden: true });

  show() {
    const { isLive, state, moment: { captures } } = this.screen;
    /** @type {CountOf | undefined} */
    const count = isLive ? state.count : undefined;
    this.element.hidden = !count;
    redraw(this.element, [count, captures], () => (count ? [table(count, captures)] : []));
  }
}

/** Return the owner of each empty point: 1 for Black, -1 for White. @param {CountOf | undefined} count */
export const territory = (count) => Object.fromEntries(Object.entries(count?.sides ?? {})
  .flatMap(([colour, side]) => side.territory.map((vertex) => [vertex, colour === "b" ? 1 : -1])));

/** Return the points of a side. @param {Side} side */
export const total = (side) => pieces(side) + side.territory.length + side.komi;

function table(count, captures) {
  const sides = Object.entries(count.sides);
  const row = (name, value, kind = "") => h("tr", { class: kind }, h("th", { scope: "row" }, name), sides.map(([colour, side]) => h("td", {}, value(side, colour))));
  return h("table", {}, h("caption", {}, say("count")),
    h("thead", {}, h("tr", {}, h("td"), sides.map(([colour]) => h("th", { scope: "col" }, h("i", { class: `dot ${colour}`, "aria-hidden": "true" }), " ", nameOf(colour))))),
    h("tbody", {}, row(say("prisoners" in sides[0][1] ? "prisoners" : "stones left"), pieces), row(say("territory"), (side) => side.territory.length),
      sides.some(([, side]) => side.komi) ? row(say("komi"), (side) => side.komi || "") : null,
      row(say("total"), total, "total"), row(say("captured stones"), (_, colour) => captures[colour] ?? 0, "quiet"),
      count.neutral.length ? row(say("neutral"), (_, colour) => (colour === sides[0][0] ? count.neutral.length : ""), "quiet") : null));
}
