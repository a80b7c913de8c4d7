// The front door: a living board for each game, three ways to play it, and the games of this browser and server.

import { forgetGame, keep, kept, listGames } from "../data/kept.js";
import { api, beginGame } from "../data/net.js";
import { nearLevel, opponentsOf, strengthOf } from "../data/opponents.js";
import { confirmFirst, filled, h, loadTemplates, onSubmit } from "../ui/dom.js";
import { crest, sizeOf, titleOf } from "../ui/parts.js";
import { pressEnds } from "../ui/press.js";
import { colon, has, language, named, say } from "../ui/words.js";
import { LivingBoard } from "./living_board.js";

const MOST_LIVE = 12, MOST_YOURS = 12;
const LOOK_MS = 3000;

/** Opens the front door, or what the address or the server asks for in its place. */
export default class Home {
  /** @param {import("../main.js").Page} page */
  constructor(page) {
    document.title = "gtp-variants";
    this.opening = this.#open(page);
    this.opening.catch(page.fail);
  }

  end() {
    this.opening.then((opened) => opened?.end(), () => null);
  }

  async #open({ main, asked, tellAloud }) {
    const wanted = asked.get("new"), isRefereeing = asked.has("referee");
    // The screen replaces this element, unless the user has moved on and so removed it.
    const place = h("div");
    main.append(place);
    const about = await api("/api/about");
    if (!place.isConnected) return null;
    if (about.token) {
      // The stored token is refused, so forget it.
      if (kept("token")) keep("token", null);
      const { root } = filled("token-form");
      onSubmit(root, async ({ token }) => {
        keep("token", token.trim());
        dispatchEvent(new Event("hashchange"));
      }, () => null);
      place.replaceWith(root);
      return null;
    }
    const isLobby = asked.has("lobby") || (about.public && wanted === null);
    if (!isLobby && wanted === null && !isRefereeing) return new FrontDoor(place, about);
    await loadTemplates();
    if (isLobby) {
      const { LobbyScreen } = await import("./lobby.js");
      return place.isConnected ? new LobbyScreen(main, about, tellAloud) : null;
    }
    const { NewGame } = await import("./new_game.js");
    const form = new NewGame(about, wanted, isRefereeing);
    place.replaceWith(h("div", { class: "forms" }, form.element));
    await form.choose();
    return null;
  }
}

class FrontDoor {
  constructor(place, about) {
    this.about = about;
    this.page = filled("front-door");
    const { games } = about, before = kept("spec", "aleago").split(":")[0];
    this.game = games.find(({ name }) => name === before) ?? games[0];
    /** @type {Record<string, LivingBoard>} */
    this.boards = {};
    // The game played last comes first.
    this.page.tiles.append(...[this.game, ...games.filter((game) => game !== this.game)].map((game) => this.#tile(game)));
    place.replaceWith(this.page.root);
    this.page.play.addEventListener("click", () => this.#begin(this.opponents[this.at]));
    this.page.friend.addEventListener("click", () => this.#begin(null));
    const entries = listGames(MOST_YOURS);
    this.page.yours.append(entries.length ? h("ul", { class: "list" }, entries.map(([game, entry]) => gameRow(game, entry))) : h("p", { class: "quiet" }, say("none yet")));
    this.page.file.addEventListener("change", () => this.#open());
    this.#choose(this.game);
    this.#live();
    this.#running();
  }

  end() {
    Object.values(this.boards).forEach((board) => board.end());
  }

  #tile(game) {
    const board = this.boards[game.name] = new LivingBoard(game.name);
    return h("label", { class: "tile" },
      h("input", { type: "radio", name: "game", value: game.name, checked: game === this.game, "aria-label": game.title, onchange: () => this.#choose(game) }),
      board.element, h("strong", {}, game.title), h("span", { class: "quiet playing", "data-game": game.name }),
      has(`about ${game.name}`) ? h("small", {}, say(`about ${game.name}`)) : null);
  }

  // Show the ways to play a game; its board comes first, then the boards of the others that can be seen.
  async #choose(game) {
    const { page } = this, { name, title } = game;
    this.game = game;
    page.title.textContent = title;
    page.rules.href = `#new=${name}`;
    page.lesson.href = `#lesson=${name}`;
    page.error.textContent = "";
    this.opponents = opponentsOf(name);
    this.at = this.opponents.findIndex(({ level }) => level === nearLevel(name));
    const opponent = this.opponents[this.at];
    page.play.replaceChildren(...(opponent ? this.#door(opponent) : []));
    page.ladder.replaceChildren(...this.#step("easier", -1), ...this.#step("harder", 1), h("a", { href: `#new=${name}` }, say("all opponents")));
    const described = await this.boards[name].load().catch(() => null);
    if (this.game !== game || !described) return;
    page.play.hidden = page.ladder.hidden = !opponent || !this.about.bots.some((bot) => bot.name === described.bot);
    page.lesson.hidden = !described.lesson;
    page.size.textContent = sizeOf(described);
    for (const board of Object.values(this.boards)) board.loadOnceSeen();
  }

  #step(key, way) {
    const other = this.opponents[this.at + way];
    return other ? [h("button", { type: "button", id: key, onclick: () => this.#begin(other) }, h("span", {}, say(key), h("small", {}, `${other.name} · ${other.rating}`)))] : [];
  }

  #door({ name, rating }) {
    return [crest(name, "w", { kind: "bot" }), h("span", {}, h("strong", {}, say("play against", { name })), h("small", {}, [say(strengthOf(rating)), rating, say("your level")].join(" · ")))];
  }

  // Begin a game against an opponent, or with a friend who gets a link.
  async #begin(opponent) {
    const { name, title } = this.game;
    try {
      const { players, bot, spec } = await this.boards[name].load();
      const other = opponent ? { kind: "bot", bot, level: opponent.level } : { kind: "invited" };
      const seats = Object.fromEntries(players.map((colour, index) => [colour, index ? other : { kind: "person", name: kept("name", "") }]));
      await beginGame({ spec, lang: language(), seats, chat: kept("chat", true), nonces: true }, title);
      keep("spec", name);
    } catch (problem) {
      this.page.error.textContent = problem.message;
    }
  }

  // Show the games played elsewhere, as they go on.
  async #live() {
    const { games } = await api("/api/live").catch(() => ({ games: [] }));
    await pressEnds();
    this.page.live.replaceChildren(...games.slice(0, MOST_LIVE).map((each) => row(each, each.source, Object.values(each.seats).map(({ bot }) => bot),
      each.over || each.lost ? "" : `live=${encodeURIComponent(each.source)}&`)));
    setTimeout(() => this.page.live.isConnected && this.#live(), LOOK_MS);
  }

  // Show the games of the server: those being played, and all of them.
  async #running() {
    const { games } = await api("/api/games").catch(() => ({ games: [] }));
    const rows = (these) => these.map((each) => row(each, each.title, Object.values(each.seats).map(titleOf)));
    const running = games.filter(({ over }) => !over);
    this.page.running.replaceChildren(...rows(running.slice(0, MOST_LIVE)));
    this.page.all.append(...rows(games));
    for (const place of this.page.tiles.querySelectorAll(".playing")) {
      const count = running.filter(({ spec }) => spec.split(":")[0] === place.dataset.game).length;
      place.textContent = count ? say("playing", { count }) : "";
    }
  }

  async #open() {
    const { file, error } = this.page;
    try {
      const { game } = await api("/api/records", { method: "POST", body: await file.files[0].arrayBuffer() });
      location.hash = `game=${game}`;
    } catch (problem) {
      error.textContent = `${named("wrong file")}${problem.message}`;
      error.scrollIntoView({ block: "nearest" });
    }
  }
}

const row = ({ game, over, turn }, title, players, first = "") => h("li", {}, h("a", { href: `#${first}game=${game}` }, [title, players.join(" – ")].filter(Boolean).join(colon())),
  h("span", { class: "quiet" }, over ? say("finished") : say("turn number", { turn })));

// Return the row of a game, with a button that removes it from this browser's list, and from the server if nobody else plays it.
function gameRow(game, entry) {
  const title = entry.title ?? game.slice(0, 6);
  const remove = () => {
    forgetGame(game);
    row.remove();
    if (entry.link) api(`/api/games/${game}`, { method: "DELETE" }).catch(() => null);
  };
  const row = h("li", {}, h("a", { href: entry.link ?? `#game=${game}` }, title),
    h("span", { class: "quiet" }, entry.isOver ? say("finished") : new Date(entry.at).toLocaleString(language())),
    h("button", { type: "button", class: "delete", "aria-label": `${named("delete")}${title}`, title: say("delete"), onclick: () => confirmFirst("delete", remove) }, "✕"));
  return row;
}
