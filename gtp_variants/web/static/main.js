// Which screen is shown: by the part of the address behind #, which no server ever sees.

import { DiceScreen } from "./dice.js";
import { Following } from "./following.js";
import { home } from "./home.js";
import { games, keep, kept, keepGame } from "./net.js";
import { GameScreen } from "./play.js";
import { SeatScreen } from "./seat.js";
import { LANGUAGES, language, say, speakIn } from "./words.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
let screen = null;

export function tellAloud(text) {
  live.textContent = text;
}

function route() {
  screen?.end();
  screen = null;
  main.replaceChildren();
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("token")) {
    keep("token", asked.get("token"));
    asked.delete("token");
    history.replaceState(null, "", asked.size ? `#${asked}` : location.pathname);
  }
  const game = asked.get("game"), source = asked.get("live");
  document.body.classList.toggle("in-game", Boolean(game ?? source));
  if (source) {
    screen = new Following(main, source, game, tellAloud);
    return;
  }
  if (asked.has("dice")) {
    screen = new DiceScreen(main, asked.get("dice"), tellAloud);
    return;
  }
  if (!game) {
    home(main, asked.get("new"), asked.has("referee"));
    return;
  }
  // Older games and programs open a seat by its token; people by what their browser keeps.
  const seat = asked.get("seat") ?? games()[game]?.seats?.[asked.get("as")];
  if (asked.has("invite") || (asked.has("as") && !seat) || asked.has("recover")) {
    screen = new SeatScreen(main, game, asked.get("invite"));
    return;
  }
  screen = new GameScreen(main, game, seat, tellAloud, (colour, title, isOver) => {
    // A seat that came by a link is there again tomorrow.
    keepGame(game, { title, isOver, ...(seat ? { link: location.hash } : {}) });
  });
}

function dress() {
  speakIn(kept("lang", LANGUAGES.find((each) => navigator.language.startsWith(each)) ?? "en"));
  const theme = kept("theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  document.getElementById("new").textContent = say("new");
  document.getElementById("lang").textContent = say("other");
  document.getElementById("lang").lang = language() === "en" ? "fr" : "en";
  const button = document.getElementById("theme");
  button.setAttribute("aria-label", say("theme"));
  button.title = say("theme");
  button.textContent = "◐";
}

document.getElementById("new").addEventListener("click", () => {
  if (location.hash.length > 1) location.hash = "";
  else route();
});
document.getElementById("lang").addEventListener("click", () => {
  keep("lang", language() === "en" ? "fr" : "en");
  dress();
  route();
});
document.getElementById("theme").addEventListener("click", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = kept("theme") ?? (isDark ? "dark" : "light");
  keep("theme", now === "dark" ? "light" : "dark");
  dress();
});
addEventListener("hashchange", route);
dress();
route();
