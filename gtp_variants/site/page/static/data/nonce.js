// The share of this browser in the dice of a game.

const BYTES = 15; // 20 characters

/**
 * Add random characters to the dice, once the server is committed to its own share; a person adds them at one seat only.
 * @param {import("./net.js").Line} line
 * @param {any} game the message with the whole game
 */
export function shareDice(line, { commitment, mine, you, state }) {
  if (!commitment || !you || state.final || state.nonces?.some((nonce) => mine.includes(nonce.split(" ")[1]))) return;
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  line.send({ do: "nonce", re: "nonce", nonce: btoa(String.fromCharCode(...bytes)) });
}
