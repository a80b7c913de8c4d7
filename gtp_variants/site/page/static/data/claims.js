// Claims a seat exactly once, even if the server's answer is lost.

import { games, keep, keepGame, kept, recoveryWords } from "./kept.js";
import { post } from "./net.js";

// Seats requested but not answered yet: {invitation or word: token}. The token is made and stored before the request,
// so that the server recognises a repetition.
const claims = () => kept("claims", {});
const newToken = () => {
  const letters = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)));
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
};
const forgetClaim = (by) => keep("claims", Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== by)));

export const isAskedFor = (invitation) => Object.hasOwn(claims(), invitation);

/**
 * Claim a seat for this browser with `by`, an invitation or a recovery word. The error has `isPassing` if a later
 * attempt may succeed.
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
