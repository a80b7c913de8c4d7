// Taking a seat, once: also where the answer of the server was lost on its way.

import { games, keep, keepGame, kept, recoveryWords } from "./kept.js";
import { post } from "./net.js";

// Seats that were asked for, and no answer has come yet: {what they were asked by: token}. A token is made and kept
// here before it is asked for, so that who asks again, an answer lost on its way, is known for the same.
const claims = () => kept("claims", {});
const newToken = () => {
  const letters = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)));
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
};
const forgetClaim = (by) => keep("claims", Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== by)));

export const isAskedFor = (invitation) => Object.hasOwn(claims(), invitation);

/**
 * Take a seat by `by`, an invitation or a recovery word; it is this browser's from now on. The error of an answer that
 * did not come, or that there may be later, has `isPassing`.
 * @param {string} game
 * @param {{ invitation?: string, recovery?: string }} by
 * @param {string} name
 * @param {(colour: string) => object} entry
 */
export async function claimSeat(game, by, name = "", entry = () => ({})) {
  const key = by.invitation ?? game;
  const token = isAskedFor(key) ? claims()[key] : newToken();
  keep("claims", { ...Object.fromEntries(Object.entries(claims()).slice(-20)), [key]: token });
  try {
    const claim = await post(`/api/games/${game}/seat`, { ...by, token, ...(name ? { name } : {}) });
    const { colour, recovery, creator } = claim;
    keepGame(game, { seats: { ...games()[game]?.seats, [colour]: claim.token }, ...(creator ? { creator } : {}), ...entry(colour) });
    forgetClaim(key);
    if (recovery) recoveryWords.set(game, { [colour]: recovery });
    return colour;
  } catch (problem) {
    problem.isPassing = !problem.status || problem.status === 429 || problem.status >= 500;
    if (!problem.isPassing) forgetClaim(key);
    throw problem;
  }
}
