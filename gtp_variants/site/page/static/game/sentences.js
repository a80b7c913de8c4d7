// The news of a game in words: for the list of moves, for screen readers and for speech.

import { openLines } from "../board/dice.js";
import { colon, nameOf, say } from "../ui/words.js";

/** @typedef {import("./timeline.js").News} News */

/** Return a move for a list in which a mark shows its player. @param {News} item */
export const shortText = (item) => `${place(item)}${item.refused ? " ✗" : ""}${captures(item)}`;

/** Return a news item as a sentence that names its player. @param {News} item */
export function spokenText(item) {
  if (item.said?.length) return item.said.join(". ");
  if (item.kind === "draw") return item.faces.length ? drawText(item) : "";
  const refused = item.refused ? ` (${say("refused")})` : "";
  const who = item.actor && item.kind === "place" ? `${nameOf(item.actor)} ` : "";
  return `${who}${place(item)}${refused}${captures(item)}`;
}

/** Return a move in one word. @param {News} item */
export const place = (item) => (item.actor && item.kind === "place" ? item.at ?? say("unknown") : item.text);

const captures = (item) => (item.captured?.length ? `, ${say("captures", { count: item.captured.length })}` : "");

/** Return a throw of the dice: its owner, the faces and the lines it opens. @param {News} item */
export function drawText(item) {
  const thrown = say("throw", { name: nameOf(item.owner), faces: item.faces.join(" + ") });
  return item.draw ? `${thrown}. ${openText(item.draw)}` : thrown;
}

/** Return the lines a draw opens, with the reason if the dice show others. @param {{ open: number[], drawn: number[], total: number }} draw */
export function openText(draw) {
  const { open, drawn = open, total } = draw;
  const opened = openLines(open);
  if (drawn.join() === open.join()) return opened;
  if (!drawn.length) return open.length ? `${say("no such line", { total })} ${opened}` : opened;
  const full = drawn.join(", "), lines = open.join(", ");
  if (!open.length) return say("all full", { full });
  return say(drawn.length > 1 ? "lines full" : "line full", { full, lines });
}

/** Return the stones on the board, by colour. @param {Record<string, string>} stones */
export function boardText(stones) {
  /** @type {Record<string, string[]>} */
  const by = {};
  for (const [vertex, colour] of Object.entries(stones)) (by[colour] ??= []).push(vertex);
  return Object.entries(by).map(([colour, vertices]) => `${nameOf(colour)}${colon()}${vertices.sort(inOrder).join(" ")}`).join(". ") || say("nothing");
}

export function inOrder(a, b) {
  const [, ac, ar] = /([A-Z]+)(\d+)/i.exec(a), [, bc, br] = /([A-Z]+)(\d+)/i.exec(b);
  return ac.length - bc.length || ac.localeCompare(bc) || Number(ar) - Number(br);
}
