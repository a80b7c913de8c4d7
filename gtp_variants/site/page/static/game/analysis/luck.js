// Luck and skill in a game with dice: the gain of each throw and the loss of each move, summed over the game.

import { svg } from "../../board/board.js";
import { h, redraw } from "../../ui/dom.js";
import { nameOf, say } from "../../ui/words.js";
import { Part } from "../part.js";

export const WIDTH = 360, HEIGHT = 90;
const MOST_LISTED = 5;
const LEAST_GIFT = 0.03, LEAST_LOSS = 0.05;

/**
 * @typedef {{ at: number, luck: number, skill: number }} Sum the total gains of the first colour, from throws and from moves, up to a moment
 * @typedef {{ at: number, owner: string, gift: number }} Gift the gain of a throw for its owner, in shares of the game
 */

/**
 * Return the gains from throws and the losses from moves. The gain of a throw is the change in its owner's winning
 * chance; the loss of a move is the drop in its player's chance. A search estimates the chances.
 * @param {{ kind: string, actor?: string, owner?: string }[]} news
 * @param {(at: number) => number | undefined} worthAt the first colour's chance after `at` news items
 * @param {string} first the first colour
 * @returns {{ sums: Sum[], gifts: Gift[], turns: { at: number, mover: string, loss: number }[], gave: Record<string, number>, lost: Record<string, number> }}
 */
export function tellApart(news, worthAt, first) {
  const sums = [{ at: 0, luck: 0, skill: 0 }], gifts = [], turns = [];
  const gave = /** @type {Record<string, number>} */ ({}), lost = /** @type {Record<string, number>} */ ({});
  let luck = 0, skill = 0;
  for (const [index, item] of news.entries()) {
    const before = worthAt(index), after = worthAt(index + 1), who = item.kind === "draw" ? item.owner : item.actor;
    if (before === undefined || after === undefined || !who) continue;
    const change = after - before, own = who === first ? change : -change;
    if (item.kind === "draw") {
      luck += change;
      gave[who] = (gave[who] ?? 0) + own;
      gifts.push({ at: index + 1, owner: who, gift: own });
    } else {
      skill += change;
      lost[who] = (lost[who] ?? 0) - own;
      turns.push({ at: index + 1, mover: who, loss: -own });
    }
    sums.push({ at: index + 1, luck, skill });
  }
  const most = gifts.filter(({ gift }) => Math.abs(gift) >= LEAST_GIFT).sort((a, b) => Math.abs(b.gift) - Math.abs(a.gift));
  return { sums, gifts: most.slice(0, MOST_LISTED), turns, gave, lost };
}

export class Luck extends Part {
  element = h("div", { class: "luck", hidden: true });

  /** True if luck can be separated from skill in this game. */
  get isOn() {
    const { describe, played } = this.screen;
    return Boolean(describe.lines) && describe.players.length === 2 && played.news.some(({ kind }) => kind === "draw");
  }

  get found() {
    const { played, help, describe } = this.screen;
    return tellApart(played.news, (at) => help.analyses[`:${at}`]?.worth, describe.players[0]);
  }

  /** Return the moves that lost most. */
  worstTurns() {
    return this.found.turns.filter(({ loss }) => loss >= LEAST_LOSS).sort((a, b) => b.loss - a.loss).slice(0, MOST_LISTED);
  }

  /** @param {boolean} isWanted */
  show(isWanted) {
    const { screen } = this, found = isWanted && this.isOn ? this.found : null;
    this.element.hidden = !found || found.sums.length < 3;
    if (this.element.hidden || !found) return;
    redraw(this.element, [found.sums, screen.study.line ? -1 : screen.here], () => [h("h2", {}, say("luck")), this.#drawing(found.sums), this.#key(), this.#table(found), this.#gifts(found.gifts)]);
  }

  #drawing(sums) {
    const { screen } = this, last = Math.max(1, screen.played.length);
    const most = Math.max(0.25, ...sums.flatMap(({ luck, skill }) => [Math.abs(luck), Math.abs(skill)]));
    const x = (at) => (WIDTH * at) / last, y = (sum) => (HEIGHT * (1 - sum / most)) / 2;
    const path = (key) => `M${sums.map((sum) => `${x(sum.at).toFixed(1)} ${y(sum[key]).toFixed(1)}`).join("L")}`;
    return chart(say("luck curve", { name: nameOf(screen.describe.players[0]) }), screen.study.line ? null : x(screen.here), [
      svg("rect", { width: WIDTH, height: HEIGHT, class: "ground" }), svg("path", { class: "skill", d: path("skill") }), svg("path", { class: "gift", d: path("luck") })]);
  }

  #key() {
    const sign = (name) => svg("svg", { viewBox: "0 0 24 8", class: "sign", "aria-hidden": "true" }, svg("path", { class: name, d: "M0 4H24" }));
    return h("p", { class: "quiet small" }, sign("gift"), ` ${say("luck gave")}  `, sign("skill"), ` ${say("luck moves")}. `, say("luck up", { name: nameOf(this.screen.describe.players[0]) }));
  }

  #table({ gave, lost }) {
    const { players } = this.screen.describe;
    const row = (name, sums, sign) => h("tr", {}, h("th", { scope: "row" }, name), players.map((colour) => h("td", {}, hundredths(sums[colour] ?? 0, sign))));
    return h("table", {}, h("thead", {}, h("tr", {}, h("td"), players.map((colour) => h("th", { scope: "col" }, h("i", { class: `dot ${colour}`, "aria-hidden": "true" }), " ", nameOf(colour))))),
      h("tbody", {}, row(say("luck gave"), gave, true), row(say("luck lost"), lost, false)));
  }

  #gifts(gifts) {
    if (!gifts.length) return null;
    const { timeline, played } = this.screen;
    const go = (at) => {
      this.screen.study.leave();
      this.screen.go(played.after(at - 1));
    };
    return moments("luckiest", gifts.map(({ at, owner, gift }) => [`gift-${at}`, () => go(at),
      say("throw gave", { number: (timeline.numbers[at - 1] ?? 0) + 1, name: nameOf(owner), part: hundredths(gift, true) })]));
  }
}

/** Return a chart with a line at its middle and one at `here`, unless that is null. @param {string} label @param {number | null} here @param {SVGElement[]} shapes */
export const chart = (label, here, shapes) => svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, preserveAspectRatio: "none" }, ...shapes,
  svg("path", { class: "middle", d: `M0 ${HEIGHT / 2}H${WIDTH}` }), ...(here === null ? [] : [svg("path", { class: "here", d: `M${here} 0V${HEIGHT}` })]));

/** Return a list of moments to go to. @param {string} key of its heading @param {[string, () => void, string][]} rows the name, action and text of each */
export const moments = (key, rows) => h("div", {}, h("h2", {}, say(key)), h("ol", { class: "worst" }, rows.map(([id, onclick, text]) => h("li", {}, h("button", { type: "button", id, onclick }, text)))));

/** Return a share in hundredths, with "+" before a gain if `isSigned`. @param {number} share @param {boolean} isSigned */
export function hundredths(share, isSigned) {
  const number = Math.round(100 * share) || 0;
  return `${isSigned && number > 0 ? "+" : number < 0 ? "−" : ""}${Math.abs(number)} %`;
}
