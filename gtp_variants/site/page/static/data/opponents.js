// The computer's opponents by name, and their measured strength at each game.

import { book } from "../ui/words.js";
import { keep, kept } from "./kept.js";

/** Return the key of a strength in words. @param {number} rating */
export const strengthOf = (rating) => `strength ${book.strengths.filter((bound) => rating >= bound).length + 1}`;

/** Return the measured opponents of a game, the weakest first; [] for a game without measurements. @param {string} game */
export const opponentsOf = (game) => book.opponents[game] ?? [];

/** Return the opponent at a seat, or undefined if it has no name. @param {string} game @param {{ level?: number | null }} seat */
export const opponentAt = (game, { level }) => opponentsOf(game).find((each) => each.level === level);

const MIDDLE = 4; // the level of somebody who has not played a game yet

/** Return the level near to that of the player of this browser. @param {string} game */
export const nearLevel = (game) => kept("near", {})[game] ?? MIDDLE;

/**
 * Move the level of this browser's player one up after a win against it or a stronger opponent, one down after a loss
 * against it or a weaker one.
 * @param {string} game
 * @param {number} level of the opponent
 * @param {boolean} isWon
 */
export function noteResult(game, level, isWon) {
  const near = nearLevel(game);
  if (isWon ? level < near : level > near) return;
  keep("near", { ...kept("near", {}), [game]: Math.min(opponentsOf(game).length, Math.max(1, near + (isWon ? 1 : -1))) });
}
