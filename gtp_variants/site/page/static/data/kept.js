// The storage of this browser: settings, and a list of its games.

// Keeps values that the browser's storage refuses, until the page is reloaded.
const memory = new Map();

/** @param {string} key @param {any} otherwise */
export function kept(key, otherwise = null) {
  try {
    return JSON.parse(memory.get(key) ?? localStorage.getItem(`gv:${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Store a value, and return true if there was room. @param {string} key @param {any} value */
export function keep(key, value) {
  try {
    localStorage.setItem(`gv:${key}`, JSON.stringify(value));
    memory.delete(key);
    return true;
  } catch {
    // Delete variations for room.
    if (key !== "studies" && forgetStudy()) return keep(key, value);
    memory.set(key, JSON.stringify(value));
    return false;
  }
}

// Forget the oldest variations, which are the last.
function forgetStudy() {
  const all = Object.entries(kept("studies", {}));
  return all.length && !memory.has("studies") && keep("studies", Object.fromEntries(all.slice(0, -1)));
}

// The games of this browser: {game: {title, at, isOver, link}}, with a link to games that are played here. A game begun
// here also has {invitations: {colour: code}}, a game of an older version {seats: {colour: token}}.
export const games = () => kept("games", {});

// Maximum games kept, besides those that this browser plays.
const MOST_GAMES = 60;
const isPlayed = ([, entry]) => (entry.seats || entry.link) && !entry.isOver;

/** Return all games that this browser plays, then the latest of the other games. @param {number} most */
export function listGames(most, all = games()) {
  const latest = Object.entries(all).sort((one, other) => other[1].at - one[1].at);
  const played = latest.filter(isPlayed);
  return [...played, ...latest.filter((each) => !isPlayed(each)).slice(0, Math.max(0, most - played.length))];
}

/** @param {string} game @param {Record<string, any>} entry */
export function keepGame(game, entry) {
  const all = { ...games(), [game]: { ...games()[game], ...entry, at: Date.now() } };
  keep("games", Object.fromEntries(listGames(MOST_GAMES, all)));
}

/** @param {string} game */
export const forgetGame = (game) => keep("games", Object.fromEntries(Object.entries(games()).filter(([name]) => name !== game)));

// Return the address of a seat. In another browser it opens no seat.
export const seatLink = (game) => `#game=${game}`;
