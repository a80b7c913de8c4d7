// What goes to the server and comes from it, and what this browser keeps.

import { language } from "./words.js";

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "textContent") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// What a browser that keeps nothing knows until the page is loaded again.
const memory = new Map();

export function kept(key, otherwise = null) {
  try {
    return JSON.parse(memory.get(key) ?? localStorage.getItem(`gv:${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(`gv:${key}`, JSON.stringify(value));
  } catch {
    memory.set(key, JSON.stringify(value));
  }
}

// The seats this browser holds, by game: {game: {seats: {colour: token}, mine: [colour], title, at}}; of a game begun here
// also who may be invited: {invitations: {colour: code}, creator: token}; of one come to by invitation {taken: {code: colour}}.
export const games = () => kept("games", {});

export function keepGame(game, entry) {
  const all = { ...games(), [game]: { ...games()[game], ...entry, at: Date.now() } };
  const latest = Object.entries(all).sort(([, a], [, b]) => b.at - a.at).slice(0, 60);
  keep("games", Object.fromEntries(latest));
}

// The recovery words that are to be shown, once: {game: {colour: word}}.
export const recoveryWords = new Map();

// Seats that were asked for, and no answer has come yet: {what they were asked by: token}. A token is made and kept
// here before it is asked for, so that who asks again, an answer lost on its way, is known for the same.
const claims = () => kept("claims", {});
const newToken = () => {
  const letters = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16)));
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
};
const forgetClaim = (by) => keep("claims", Object.fromEntries(Object.entries(claims()).filter(([key]) => key !== by)));

export const isAskedFor = (invitation) => Object.hasOwn(claims(), invitation);

// Take a seat by `by`, an invitation or a recovery word; it is this browser's from now on. The error of an answer that
// did not come, or that there may be later, has `isPassing`.
export async function claimSeat(game, by, name, entry = () => ({})) {
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

// The address of a seat: who opens it elsewhere gets no seat by it.
export const seatLink = (game, colour) => `#game=${game}${colour ? `&as=${colour}` : ""}`;

export async function api(path, options = {}) {
  const token = kept("token");
  const headers = { "accept-language": language(), ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(path, { ...options, headers });
  const isJson = answer.headers.get("content-type")?.startsWith("application/json");
  const body = isJson ? await answer.json() : await answer.text();
  if (!answer.ok) throw Object.assign(new Error(body.error ?? body), { status: answer.status });
  return body;
}

export const post = (path, value) =>
  api(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(value) });

// One connection to one game, which comes back by itself. `heard(message)` is called for each message,
// `changed(isUp, code)` when it comes and goes.
export class Line {
  constructor(game, seat, heard, changed) {
    Object.assign(this, { game, seat, heard, changed, tries: 0, isEnded: false });
    this.#open();
  }

  #open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`);
    this.socket = socket;
    socket.addEventListener("open", () => socket.send(JSON.stringify({ join: this.game, seat: this.seat, lang: language() })));
    socket.addEventListener("message", (event) => {
      if (this.isEnded) return;
      this.tries = 0;
      this.changed(true);
      this.heard(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.isEnded) return;
      this.changed(false, event.code);
      if (event.code === 4404) return;
      this.timer = setTimeout(() => this.#open(), Math.min(8000, 300 * 2 ** this.tries++));
    });
  }

  send(value) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(value));
  }

  end() {
    this.isEnded = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
