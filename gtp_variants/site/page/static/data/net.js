// Requests to the server, and the connection to a game.

import { language } from "../ui/words.js";
import { keepGame, kept, seatLink } from "./kept.js";

// A silent connection is tested after QUIET_MS, and given up if there is no answer within ANSWER_MS.
const QUIET_MS = 12_000;
const ANSWER_MS = 5_000;
const JOIN_MS = 15_000;
const LOOK_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;
const GONE = 4404;

/** @param {string} path @param {RequestInit} options */
export async function api(path, options = {}) {
  const token = kept("token"), headers = { "accept-language": language(), ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(path, { ...options, headers });
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) throw Object.assign(new Error(body.error ?? body), { status: answer.status });
  return body;
}

/** @param {string} path @param {unknown} value */
export const post = (path, value, method = "POST") =>
  api(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

/**
 * Begin a game, list it in this browser, and open it.
 * @param {Record<string, any>} asked
 * @param {string} title
 * @param {boolean} isPlayed whether somebody plays here
 */
export async function beginGame(asked, title, isPlayed = true) {
  const { game, invitations } = await post("/api/games", asked), link = seatLink(game);
  keepGame(game, { title, invitations, ...(isPlayed ? { link } : {}) });
  location.hash = link;
}

const NONCE_BYTES = 15; // 20 characters

/**
 * Add random characters to the dice, once the server is committed to its own share; a person adds them at one seat only.
 * @param {Line} line
 * @param {any} game the message with the whole game
 */
export function shareDice(line, { commitment, mine, you, state }) {
  if (!commitment || !you || state.final || state.nonces?.some((nonce) => mine.includes(nonce.split(" ")[1]))) return;
  line.send({ do: "nonce", re: "nonce", nonce: btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(NONCE_BYTES)))) });
}

/** Return a SPEC without its language, which is each reader's own. @param {string} spec */
export const plain = (spec) => spec.replace(/,?lang=\w+/, "");

/**
 * Return the path of an answer about a SPEC in the language of the page. `how` is "&brief" if its options are not needed.
 * @param {string} what @param {string} spec @param {string} [how]
 */
export const about = (what, spec, how = "") => `/api/${what}?lang=${language()}&spec=${encodeURIComponent(spec)}${how}`;

/**
 * A connection that reconnects by itself. Each time it sends `greet()` first. It calls `heard(message)` for each message
 * and `changed(isUp, isGone)` when it opens or closes; `isGone` is true if the game or seat does not exist.
 */
export class Line {
  isUp = false;
  tries = 0;
  heardAt = 0;
  askedAt = 0;
  ending = new AbortController();

  /** @param {string} path @param {() => object} greet @param {(message: any) => void} heard @param {(isUp: boolean, isGone: boolean) => void} changed */
  constructor(path, greet, heard, changed) {
    this.path = path;
    this.greet = greet;
    this.heard = heard;
    this.changed = changed;
    const { signal } = this.ending;
    addEventListener("offline", () => this.#drop(), { signal });
    addEventListener("online", () => this.#again(0), { signal });
    this.looking = setInterval(() => this.#look(), LOOK_MS);
    this.#open();
  }

  #open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${this.path}`);
    this.socket = socket;
    this.heardAt = Date.now();
    this.askedAt = 0;
    socket.addEventListener("open", () => socket.send(JSON.stringify(this.greet())));
    socket.addEventListener("message", (event) => {
      if (this.isEnded || socket !== this.socket) return;
      this.heardAt = Date.now();
      this.askedAt = 0;
      const message = JSON.parse(event.data);
      if (message.type === "pong") return;
      this.tries = 0;
      this.#say(true);
      this.heard(message);
    });
    socket.addEventListener("close", (event) => {
      if (this.isEnded || socket !== this.socket) return;
      this.#say(false, event.code === GONE);
      if (event.code !== GONE) this.#again(Math.min(LONGEST_WAIT_MS, 300 * 2 ** this.tries++));
    });
  }

  #say(isUp, isGone = false) {
    this.isUp = isUp;
    this.changed(isUp, isGone);
  }

  // Test the connection, because it may die silently: a phone changes its network, a computer sleeps.
  #look() {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const now = Date.now();
    const isMute = this.askedAt ? now - this.askedAt > ANSWER_MS : !this.isUp && now - this.heardAt > JOIN_MS;
    if (isMute) this.#drop();
    else if (this.isUp && !this.askedAt && now - this.heardAt > QUIET_MS) {
      this.askedAt = now;
      this.socket.send(JSON.stringify({ do: "ping" }));
    }
  }

  // Close the connection and open a new connection after a wait.
  #drop() {
    if (this.isEnded) return;
    const socket = this.socket;
    this.#say(false);
    this.#again(Math.min(LONGEST_WAIT_MS, 300 * 2 ** this.tries++));
    socket.close();
  }

  #again(wait_ms) {
    if (this.isEnded || this.isUp) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#open(), wait_ms);
  }

  /** Send a message, and return true if it was sent. @param {object} value */
  send(value) {
    const isOpen = this.isUp && this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(value));
    return isOpen;
  }

  get isEnded() {
    return this.ending.signal.aborted;
  }

  end() {
    this.ending.abort();
    clearTimeout(this.timer);
    clearInterval(this.looking);
    this.socket.close();
  }
}
