// What this browser keeps: settings, the games it plays, the keys to their seats.

// What a browser that keeps nothing knows until the page is loaded again.
const memory = new Map();

/** @param {string} key @param {any} otherwise */
export function kept(key, otherwise = null) {
  try {
    return JSON.parse(memory.get(key) ?? localStorage.getItem(`gv:${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Whether there was room for a value. @param {string} key @param {any} value */
export function keep(key, value) {
  try {
    localStorage.setItem(`gv:${key}`, JSON.stringify(value));
    memory.delete(key);
    return true;
  } catch {
    // Variations make room: the key to a seat lies nowhere else.
    if (key !== "studies" && forgetStudy()) return keep(key, value);
    memory.set(key, JSON.stringify(value));
    return false;
  }
}

// The oldest is the last.
function forgetStudy() {
  const all = Object.entries(kept("studies", {}));
  return all.length && !memory.has("studies") && keep("studies", Object.fromEntries(all.slice(0, -1)));
}

// The seats this browser holds, by game: {game: {seats: {colour: token}, mine: [colour], title, at}}; of a game begun here
// also who may be invited: {invitations: {colour: code}, creator: token}; of one come to by invitation {taken: {code: colour}}.
export const games = () => kept("games", {});

// So many games are kept, and all that this browser plays: the key to a seat lies nowhere else.
const MOST_GAMES = 60;
const isPlayed = ([, entry]) => (entry.seats || entry.link) && !entry.isOver;

/**
 * The latest games, before all others those that this browser plays, however many these are.
 * @param {number} most
 */
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

// The recovery words that are to be shown, once: {game: {colour: word}}.
export const recoveryWords = new Map();

// The address of a seat: who opens it elsewhere gets no seat by it.
export const seatLink = (game, colour = "") => `#game=${game}${colour ? `&as=${colour}` : ""}`;
