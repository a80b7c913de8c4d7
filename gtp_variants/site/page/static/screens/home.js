// The first screen: a new game, the games of this browser and the server, and records to open.

import { forgetGame, keep, kept, listGames } from "../data/kept.js";
import { api } from "../data/net.js";
import { confirmFirst, h } from "../ui/dom.js";
import { titleOf } from "../ui/parts.js";
import { pressEnds } from "../ui/press.js";
import { colon, language, named, say } from "../ui/words.js";
import { NewGame } from "./new_game.js";

const MOST_LIVE = 12, MOST_YOURS = 12;
const LOOK_MS = 3000;

export async function home(main, wanted, isRefereeing, tellAloud) {
  document.title = "gtp-variants";
  // The screen replaces this element, unless the user has moved on and so removed it.
  const place = h("div");
  main.append(place);
  const about = await api("/api/about");
  if (!place.isConnected) return;
  if (about.public && wanted === null) {
    const { LobbyScreen } = await import("./lobby.js");
    return place.isConnected ? new LobbyScreen(main, about, tellAloud) : null;
  }
  if (about.token) {
    // The stored token is refused, so forget it.
    if (kept("token")) keep("token", null);
    place.replaceWith(tokenForm());
    return null;
  }
  const form = new NewGame(about, wanted, isRefereeing);
  place.replaceWith(h("div", { class: "home" }, form.element, h("div", { class: "shelf" }, about.public ? yours() : [liveGames(), yours(), atBoards(), recordForm(), serverGames()])));
  await form.choose();
  return null;
}

// Return the list of games played elsewhere, if there are any.
function liveGames() {
  const list = h("ul", { class: "list" });
  const section = h("section", { class: "card", hidden: true }, h("h2", {}, say("live")), list);
  const look = async () => {
    const { games: live } = await api("/api/live").catch(() => ({ games: [] }));
    await pressEnds();
    section.hidden = !live.length;
    list.replaceChildren(...live.slice(0, MOST_LIVE).map((each) => h("li", {},
      h("a", { href: each.over || each.lost ? `#game=${each.game}` : `#live=${encodeURIComponent(each.source)}&game=${each.game}` },
        `${each.source}${colon()}${Object.values(each.seats).map(({ bot }) => bot).join(" – ")}`),
      h("span", { class: "quiet" }, each.over ? say("finished") : say("turn number", { turn: each.turn })))));
    setTimeout(() => section.isConnected && look(), LOOK_MS);
  };
  look();
  return section;
}

function tokenForm() {
  const input = h("input", { type: "password", autocomplete: "off", id: "token", required: true });
  const submit = (event) => {
    event.preventDefault();
    keep("token", input.value.trim());
    dispatchEvent(new Event("hashchange"));
  };
  return h("form", { class: "card token", onsubmit: submit },
    h("h1", {}, say("token")), h("p", {}, say("token how")),
    h("label", { for: "token" }, say("token")), input, h("button", { class: "main" }, say("begin")));
}

function yours() {
  const section = h("section", { class: "card" }, h("h2", {}, say("go on")));
  const entries = listGames(MOST_YOURS);
  const list = h("ul", { class: "list" }, entries.map(([game, entry]) => gameRow(game, entry)));
  section.append(entries.length ? list : h("p", { class: "quiet" }, say("none yet")));
  return section;
}

function gameRow(game, entry) {
  const title = entry.title ?? game.slice(0, 6);
  const row = h("li", {}, h("a", { href: entry.link ?? `#game=${game}` }, title),
    h("span", { class: "quiet" }, entry.isOver ? say("finished") : new Date(entry.at).toLocaleString(language())),
    h("button", { type: "button", class: "delete", "aria-label": `${named("delete")}${title}`, title: say("delete"), onclick: () => {
      confirmFirst({ title: say("delete"), text: say("delete sure"), yes: say("yes"), no: say("no"), id: "delete-yes" }, () => remove(game, entry, row));
    } }, "✕"));
  return row;
}

// Remove a game from this browser's list, and from the server if nobody else plays it.
async function remove(game, entry, row) {
  forgetGame(game);
  row.remove();
  if (entry.link) await api(`/api/games/${game}`, { method: "DELETE" }).catch(() => null);
}

// Return the tools for a phone beside a real board.
function atBoards() {
  return h("section", { class: "card" }, h("h2", {}, say("at boards")), h("p", { class: "quiet" }, say("at boards how")),
    h("ul", { class: "list" },
      h("li", {}, h("a", { href: "#new=phantom&referee" }, say("referee here"))),
      h("li", {}, h("a", { href: "#dice" }, say("dice at board")))));
}

function recordForm() {
  const error = h("p", { class: "error", role: "alert" });
  const input = h("input", { type: "file", id: "file", accept: ".sgf,.json" });
  input.addEventListener("change", async () => {
    try {
      const { game } = await api("/api/records", { method: "POST", body: await input.files[0].arrayBuffer() });
      location.hash = `game=${game}`;
    } catch (problem) {
      error.textContent = `${named("wrong file")}${problem.message}`;
    }
  });
  return h("section", { class: "card" }, h("h2", {}, h("label", { for: "file" }, say("open record"))),
    h("p", { class: "quiet" }, say("open record how")), input, error);
}

function serverGames() {
  const list = h("ul", { class: "list" });
  const section = h("details", { class: "card" }, h("summary", {}, say("list")), list);
  section.addEventListener("toggle", async () => {
    if (!section.open) return;
    const told = await api("/api/games");
    list.replaceChildren(...told.games.map((each) => h("li", {},
      h("a", { href: `#game=${each.game}` }, [each.title, Object.values(each.seats).map(titleOf).join(" – ")].filter(Boolean).join(colon())),
      h("span", { class: "quiet" }, each.over ? say("finished") : say("turn number", { turn: each.turn })))));
  });
  return section;
}
