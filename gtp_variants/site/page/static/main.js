// Chooses the screen by the part of the address after #, which servers never see.

import { keep, kept } from "./data/kept.js";
import { h, loadTemplates } from "./ui/dom.js";
import { watchPresses } from "./ui/press.js";
import { LANGUAGES, language, say, speakIn } from "./ui/words.js";

/**
 * @typedef {{ main: HTMLElement, asked: URLSearchParams, tellAloud: (text: string) => void, fail: (problem: any) => void }} Page
 * what each screen gets: its place, the address, a voice for screen readers, and a way to say why it cannot be shown
 */

// The module of each screen by the first key in the address that names it; the front door has none.
const SCREENS = { live: "following", lesson: "lesson", dice: "dice", invite: "seat", game: "game" };
// Maximum sentences kept for screen readers.
const MOST_SAID = 20;
const main = document.getElementById("main"), live = document.getElementById("live");
/** @type {{ end(): void } | null} */
let screen = null;
let routes = 0;

// Append announcements, so that a screen reader misses none.
function tellAloud(text) {
  if (!text) return;
  live.append(h("p", {}, text));
  while (live.childElementCount > MOST_SAID) live.firstElementChild.remove();
}

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
  document.body.classList.toggle("in-game", ["game", "live", "lesson"].some((key) => asked.has(key)));
  // Show nothing more of this screen once the user has moved on.
  const fail = (problem) => number === routes && showFault(problem);
  try {
    const [Screen] = await Promise.all([load(asked), dressed]);
    if (number === routes) screen = new Screen({ main, asked, tellAloud, fail });
  } catch (problem) {
    fail(problem);
  }
}

/** @type {Promise<unknown> | null} */
let look = null;

// Return the class of the requested screen, after loading only its modules and, once, the style of boards.
async function load(asked) {
  const name = Object.entries(SCREENS).find(([key]) => asked.has(key))?.[1] ?? "home";
  const module = import(name === "game" ? "./game/screen.js" : `./screens/${name}.js`);
  if (name !== "home") {
    look ??= new Promise((done) => document.head.append(h("link", { rel: "stylesheet", href: "/static/game.css", onload: done, onerror: done })));
    await Promise.all([look, loadTemplates()]);
  }
  return (await module).default;
}

// Show why a screen failed, and what to do: try again if the server could not be reached.
function showFault(problem) {
  const next = problem.status ? h("a", { href: "#" }, say("home")) : h("button", { type: "button", onclick: route }, say("again"));
  main.replaceChildren(h("h1", { class: "unseen" }, "gtp-variants"), h("p", { class: "banner error", role: "alert" }, problem.status ? problem.message : say("no server"), " ", next));
}

async function dress() {
  await speakIn(kept("lang", LANGUAGES.find((each) => navigator.language.startsWith(each)) ?? "en"));
  const other = document.getElementById("lang"), theme = document.getElementById("theme");
  document.getElementById("new").textContent = say("play");
  other.textContent = say("other");
  other.lang = language() === "en" ? "fr" : "en";
  theme.title = theme.ariaLabel = say("theme");
}

function paint() {
  const { dataset } = document.documentElement, theme = kept("theme");
  dataset.board = kept("board", "wood");
  if (theme) dataset.theme = theme;
}

document.getElementById("new").addEventListener("click", () => {
  if (location.hash.length > 1) location.hash = "";
  else route();
});
document.getElementById("lang").addEventListener("click", () => {
  keep("lang", language() === "en" ? "fr" : "en");
  dressed = dress();
  route();
});
document.getElementById("theme").addEventListener("click", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  keep("theme", (kept("theme") ?? (isDark ? "dark" : "light")) === "dark" ? "light" : "dark");
  paint();
});
addEventListener("hashchange", route);
watchPresses(window);
// Only in a secure context: an insecure page could have been changed on its way here.
if (isSecureContext) navigator.serviceWorker?.register("/sw.js").catch(() => null);
paint();
// The texts come together with the modules of the first screen.
let dressed = dress();
route();
