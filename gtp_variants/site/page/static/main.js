// Chooses the screen by the part of the address after #, which servers never see.

import { games, keep, keepGame, kept, seatLink } from "./data/kept.js";
import { h } from "./ui/dom.js";
import { fault } from "./ui/parts.js";
import { watchPresses } from "./ui/press.js";
import { LANGUAGES, language, say, speakIn } from "./ui/words.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
// Maximum sentences kept for screen readers.
const MOST_SAID = 20;
/** @type {{ end(): void } | null} */
let screen = null;

// Append announcements, so that a screen reader misses none.
function tellAloud(text) {
  if (!text) return;
  live.append(h("p", {}, text));
  while (live.childElementCount > MOST_SAID) live.firstElementChild.remove();
}

let routes = 0;

async function route() {
  const number = ++routes;
  screen?.end();
  screen = null;
  main.replaceChildren();
  live.replaceChildren();
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("token")) {
    keep("token", asked.get("token"));
    asked.delete("token");
    history.replaceState(null, "", asked.size ? `#${asked}` : location.pathname);
  }
  document.body.classList.toggle("in-game", asked.has("game") || asked.has("live") || asked.has("lesson"));
  try {
    const open = await opener(asked);
    // Open nothing if the user has moved on meanwhile.
    if (number === routes) screen = open();
  } catch (problem) {
    if (number === routes) fail(problem);
  }
}

/** @type {Promise<unknown> | null} */
let look = null;

// Load the style of the screens with a board, once: the front door is there sooner without it.
function loadLook() {
  look ??= new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: "/static/game.css", onload: done, onerror: done })));
  return look;
}

/**
 * Return a function that opens the requested screen, after loading only its modules.
 * @param {URLSearchParams} asked
 * @returns {Promise<() => ({ end(): void } | null)>}
 */
async function opener(asked) {
  const game = asked.get("game"), source = asked.get("live");
  if (["game", "live", "lesson", "dice"].some((key) => asked.has(key))) await loadLook();
  if (source) {
    const { Following } = await import("./screens/following.js");
    return () => new Following(main, source, game, tellAloud);
  }
  if (asked.has("lesson")) {
    const { LessonScreen } = await import("./screens/lesson.js");
    return () => new LessonScreen(main, asked.get("lesson"), tellAloud);
  }
  if (asked.has("dice")) {
    const { DiceScreen } = await import("./screens/dice.js");
    return () => new DiceScreen(main, asked.get("dice"), tellAloud);
  }
  if (!game) {
    const { home } = await import("./screens/home.js");
    return () => {
      const opening = home(main, asked, tellAloud);
      opening.catch((problem) => fail(problem));
      return { end: () => opening.then((opened) => opened?.end(), () => null) };
    };
  }
  if (asked.has("invite")) {
    const { SeatScreen } = await import("./screens/seat.js");
    return () => new SeatScreen(main, game, asked.get("invite"));
  }
  const { GameScreen } = await import("./game/screen.js");
  // Games of older versions have tokens: in a link, or in the storage of this browser.
  const as = asked.get("as"), token = asked.get("seat") ?? games()[game]?.seats?.[as] ?? null;
  return () => new GameScreen(main, game, { as, token }, tellAloud, (title, isOver, isSeated) => {
    keepGame(game, { title, isOver, ...(isSeated ? { link: seatLink(game) } : {}) });
  }, asked.has("at") ? Number(asked.get("at")) : null, asked.get("line"));
}

// Show why a screen failed, with a button to retry.
function fail(problem) {
  main.replaceChildren(...fault(problem.status ? problem.message : say("no server"), " ",
    h("button", { type: "button", onclick: () => route() }, say("again"))));
}

async function dress() {
  await speakIn(kept("lang", LANGUAGES.find((each) => navigator.language.startsWith(each)) ?? "en"));
  document.documentElement.dataset.board = kept("board", "wood");
  const theme = kept("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  document.getElementById("new").textContent = say("play");
  document.getElementById("lang").textContent = say("other");
  document.getElementById("lang").lang = language() === "en" ? "fr" : "en";
  const button = document.getElementById("theme");
  button.setAttribute("aria-label", say("theme"));
  button.title = say("theme");
  button.textContent = "◐";
}

// Load the texts first: nothing can be shown without them. `route` reads the address later, in case it has changed.
await dress();
document.getElementById("new").addEventListener("click", () => {
  if (location.hash.length > 1) location.hash = "";
  else route();
});
document.getElementById("lang").addEventListener("click", async () => {
  keep("lang", language() === "en" ? "fr" : "en");
  await dress();
  route();
});
document.getElementById("theme").addEventListener("click", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = kept("theme") ?? (isDark ? "dark" : "light");
  keep("theme", now === "dark" ? "light" : "dark");
  dress();
});
addEventListener("hashchange", route);
watchPresses(window);
// Only in a secure context: an insecure page could have been changed on its way here.
if (isSecureContext) navigator.serviceWorker?.register("/sw.js").catch(() => null);
route();
