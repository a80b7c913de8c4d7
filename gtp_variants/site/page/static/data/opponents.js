// The computer's opponents by name, and their measured strength at each game.

import { keep, kept } from "./kept.js";

const NAMES = ["Pip", "Wren", "Moss", "Heron", "Otter", "Lynx", "Raven", "Old Oak"];
// The rating of level 1, from which the others are measured upwards.
const FIRST = 320;
// Points in per cent that each level from the second on scored against the one below, on the board nearest to the usual
// one. Source: docs/measurements.md.
const SCORES = {
  "go": [78, 78, 67, 72, 80, 78, 80],
  "aleago": [77, 63, 68, 72, 63, 67, 75],
  "phantom": [68, 73, 70, 73, 68],
  "rosette": [68, 77, 77, 70, 73, 77, 83],
  "alter-igo": [85, 72, 68, 68, 81, 70, 67],
  "pentalath": [80, 69, 67, 69, 68, 78, 65],
};
// The ratings at which a strength in words ends, from "First steps" to "Expert"; above is "Master".
const BOUNDS = [400, 900, 1150, 1400, 1650, 1900];

/** Return the key of a strength in words. @param {number} rating */
export const strengthOf = (rating) => `strength ${BOUNDS.filter((bound) => rating >= bound).length + 1}`;

/**
 * Return the measured opponents of a game, the weakest first; [] for a game without measurements.
 * @param {string} game
 * @returns {{ level: number, name: string, rating: number }[]}
 */
export function opponentsOf(game) {
  const scores = SCORES[game];
  if (!scores) return [];
  let rating = FIRST;
  return [0, ...scores].map((score, index) => {
    if (index) rating += 400 * Math.log10(score / (100 - score));
    return { level: index + 1, name: NAMES[index], rating: Math.round(rating / 10) * 10 };
  });
}

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
