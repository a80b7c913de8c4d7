// The lobby of a site: who is here, what they offer, and what is played. A guest plays at once; a password keeps a name.

import { keep, kept } from "../data/kept.js";
import { api, Line, post } from "../data/net.js";
import { strengthOf } from "../data/opponents.js";
import { h, redraw } from "../ui/dom.js";
import { language, say } from "../ui/words.js";
import { CLOCKS, clockChooser } from "./new_game.js";

const LONGEST_NAME = 18, LONGEST_PASSWORD = 64;
const HIGHEST = 9999;
const MOST_NAMES = 3;

// Return the name of a clock that the server describes.
function clockName(clock) {
  for (const [key, kinds] of Object.entries(CLOCKS)) {
    const found = kinds.find(([, each]) => Object.entries(each).every(([part, value]) => clock[part] === value));
    if (found) return say(key, found[0]);
  }
  return `${clock.kind} ${clock.main_s} s`;
}

export class LobbyScreen {
  /**
   * @param {HTMLElement} main
   * @param {{ you: string, owner: boolean, games: { name: string, title: string }[] }} about
   * @param {(text: string) => void} tellAloud
   */
  constructor(main, about, tellAloud) {
    this.you = about.you;
    this.titles = Object.fromEntries(about.games.map(({ name, title }) => [name, title]));
    this.tellAloud = tellAloud;
    /** @type {any} */
    this.told = { games: [], here: [], seeks: [], running: [], results: [], tournaments: [] };
    // The name of a guest or an account, as others see it.
    this.name = about.you;
    this.said = h("p", { id: "said", role: "status" });
    const card = (id) => h("section", { class: "card", id: `lobby-${id}` });
    this.door = card("door");
    this.offer = card("offer");
    this.account = card("account");
    this.account.hidden = about.owner;
    this.seeks = card("seeks");
    this.here = card("here");
    this.running = card("running");
    this.results = card("results");
    this.tournaments = card("tournaments");
    main.replaceChildren(h("h1", { class: "unseen" }, say("play")), h("div", { class: "home" },
      h("div", { class: "shelf" }, this.said, this.seeks, this.door, this.offer, this.account),
      h("div", { class: "shelf" }, this.running, this.tournaments, this.results, this.here,
        h("p", { class: "links" }, h("a", { href: "#new=aleago" }, say("with a friend")), h("a", { href: "/standings" }, say("standings")), h("a", { href: "/games" }, say("latest games"))))));
    this.#come();
  }

  end() {
    this.line.end();
  }

  #come() {
    this.line?.end();
    this.isUp = this.isSeeking = false;
    this.line = new Line("/api/lobby", () => ({ do: "look", token: kept("token") }), (message) => this.#hear(message), (isUp) => this.#note(isUp));
    this.#show();
  }

  #note(isUp) {
    if (isUp === this.isUp) return;
    this.isUp = isUp;
    if (isUp && this.isSeeking) this.#ask({ do: "seek", games: this.#wanted() });
    if (!isUp) this.#say(say("lost"));
    else if (this.said.textContent === say("lost")) this.#say("");
  }

  #say(text) {
    this.said.textContent = text;
    this.tellAloud(text);
  }

  #ask(request) {
    this.#say("");
    if (this.line.isEnded) this.#come();
    else this.line.send({ ...request, lang: language() });
  }

  #hear(message) {
    if (message.type === "lobby") this.told = message;
    else if (message.type === "you") this.name = message.name;
    else if (message.type === "info") this.#say(message.text);
    else if (message.type === "seat") location.hash = `game=${message.game}`;
    else if (message.type === "away") {
      this.line.end();
      this.isSeeking = false;
    }
    this.#show();
  }

  #show() {
    const { told, you } = this;
    const list = (rows, none) => rows.length ? h("ul", { class: "list" }, rows) : h("p", { class: "quiet" }, say(none));
    redraw(this.door, [told.games, this.isSeeking], () => [h("h2", {}, say("play")), ...this.#seekForm()]);
    redraw(this.offer, [you], () => [h("h2", {}, say("offer game")), this.#offerForm()]);
    redraw(this.account, you, () => [h("h2", {}, you || say("sign in")), ...(you ? this.#accountForms() : [this.#signInForm()])]);
    const seeks = told.seeks.filter(({ by, to }) => !to || to === this.name || by === this.name);
    redraw(this.seeks, [seeks, this.name], () => [h("h2", {}, say("offers")), list(seeks.map((each) => this.#seekRow(each)), "no offers")]);
    redraw(this.here, [told.here, this.#game()], () => [h("h2", {}, say("who is here")), list(told.here.map((each) => this.#row(each)), "nobody here")]);
    this.results.hidden = !told.results.length;
    redraw(this.results, told.results, () => [h("h2", {}, say("rated results")), list(told.results.map(({ game, spec, players, result }) => h("li", {},
      h("a", { href: `#game=${game}` }, players.join(" – ")), h("strong", {}, result), h("span", { class: "quiet" }, this.#titleOf(spec)))), "none yet")]);
    this.tournaments.hidden = !told.tournaments.length;
    redraw(this.tournaments, told.tournaments, () => [h("h2", {}, say("tournaments")), list(told.tournaments.map((each) => this.#tournament(each)), "none yet")]);
    redraw(this.running, told.running, () => [h("h2", {}, say("live")), list(told.running.map(({ game, title, players }) => h("li", {},
      h("a", { href: `#game=${game}` }, players.join(" – ")), h("span", { class: "quiet" }, title))), "no games now")]);
  }

  #titleOf(spec) {
    const [game] = spec.split(":");
    return this.titles[game] ?? game;
  }

  // Return the game in the form for offers.
  #game() {
    return this.offer.querySelector("select")?.value;
  }

  #tournament({ name, spec, begins, round, rounds, over, players }) {
    const key = over ? "tournament over" : round ? "tournament round" : players.length ? "tournament begins for" : "tournament begins";
    const names = (round ? players.slice(0, MOST_NAMES) : players).join(", ");
    return h("li", {}, round ? h("a", { href: `/tournament/${encodeURIComponent(name)}` }, name) : h("strong", {}, name), " ", this.#titleOf(spec),
      h("span", { class: "quiet" }, say(key, { time: new Date(begins).toLocaleString(language()), names, round, rounds })));
  }

  // Describe a player by the rating at the game in the form, in a word and as a number, or else by all games.
  #row({ name, kind, ratings, waits }) {
    const chosen = this.#game(), games = waits.length ? waits : Object.keys(ratings);
    const rated = (game) => [this.titles[game] ?? game, ratings[game]].filter(Boolean).join(" ");
    const strength = ratings[chosen] ? [say(strengthOf(parseFloat(ratings[chosen]))), rated(chosen)] : [games.map(rated).join(", ")];
    const about = [kind === "bot" ? say("program") : "", ...strength];
    return h("li", {}, kind === "guest" ? name : h("a", { href: `/player/${encodeURIComponent(name)}` }, name),
      h("span", { class: "quiet" }, about.filter(Boolean).join(" · ")),
      name === this.name ? null : h("button", { type: "button", class: "quiet challenge", onclick: () => this.#challenge(name, waits) }, say("challenge")));
  }

  // Offer the game in the form to one player; to a bot, a game that it plays.
  #challenge(name, waits) {
    const game = this.offer.querySelector("select");
    if (waits.length && !waits.includes(game.value)) game.value = waits[0];
    this.#send(name);
    this.#show();
  }

  #seekRow({ seek, by, spec, title, clock, rated, low, high, to }) {
    const range = low > 0 || high < HIGHEST ? `${low}–${high}` : "";
    const about = [clockName(clock), say(rated ? "rated game" : "unrated game"), range, to && to !== this.name ? `→ ${to}` : ""].filter(Boolean).join(" · ");
    const isMine = by === this.name;
    return h("li", { title: spec }, h("strong", {}, by), " ", title, h("span", { class: "quiet" }, about),
      h("button", { type: "button", class: isMine ? "quiet" : "main accept", onclick: () => this.#ask(isMine ? { do: "rest" } : { do: "accept", seek }) }, say(isMine ? "withdraw" : "accept")));
  }

  #wanted() {
    return [...this.door.querySelectorAll("input[name=game]:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
  }

  #seekForm() {
    const boxes = this.told.games.map((game) => h("label", { class: "check" },
      h("input", { type: "checkbox", name: "game", value: game, checked: true, disabled: this.isSeeking }), this.titles[game] ?? game));
    const seek = () => {
      const games = this.#wanted();
      if (!games.length) { this.#say(say("choose games")); return; }
      this.isSeeking = !this.isSeeking;
      this.#ask(this.isSeeking ? { do: "seek", games } : { do: "rest" });
      this.#say(this.isSeeking ? say("seeking") : "");
      this.#show();
    };
    return [h("p", { class: "quiet" }, say("lobby how")), h("div", { class: "checks" }, boxes),
      h("button", { type: "button", class: "main", id: "seek", onclick: seek }, say(this.isSeeking ? "wait no more" : "find opponent"))];
  }

  #offerForm() {
    const number = (id, value) => h("input", { id, type: "number", min: 0, max: HIGHEST, value, size: 5, "aria-label": say(id) });
    return h("form", { class: "ways", onsubmit: (event) => { event.preventDefault(); this.#send(""); } },
      h("div", { class: "row" }, h("label", { for: "offer-game" }, say("game")), h("select", { id: "offer-game", onchange: () => this.#show() }, Object.entries(this.titles).map(([name, title]) => h("option", { value: name, selected: name === kept("offer", "aleago") }, title))),
        h("input", { id: "offer-options", placeholder: "size=9", "aria-label": say("options"), value: kept("offer options", ""), size: 14, autocomplete: "off" })),
      clockChooser("offer-clock", kept("offer clock", "clock fischer:1"), false),
      this.you ? h("label", { class: "check" }, h("input", { type: "checkbox", id: "offer-rated", checked: true }), say("rated game")) : null,
      h("div", { class: "row" }, h("span", {}, say("for ratings")), number("lowest", 0), "–", number("highest", HIGHEST)),
      h("button", { class: "main", id: "offer" }, say("offer game")));
  }

  #send(to) {
    /** @type {(id: string) => any} */
    const field = (id) => this.offer.querySelector(`#${id}`);
    const game = field("offer-game").value, options = field("offer-options").value.trim(), clock = field("offer-clock");
    keep("offer", game);
    keep("offer options", options);
    keep("offer clock", clock.value);
    this.#ask({ do: "offer", spec: options ? `${game}:${options}` : game, clock: clock.chosen(), rated: field("offer-rated")?.checked ?? false,
      low: Number(field("lowest").value), high: Number(field("highest").value), to });
  }

  #signInForm() {
    return this.#form("enter", "sign in", "sign in how", [["name", "your name", "username"], ["password", "password", "current-password"]], async ({ name, password }) => {
      this.you = (await post("/api/session", { name: name.trim(), password })).name;
      this.#come();
    });
  }

  // Return a form whose answers go to `send`; a refusal is said beside it.
  #form(id, action, how, fields, send) {
    const place = (key) => id === "enter" ? key : `${id}-${key}`;
    const inputs = fields.map(([key, label, autocomplete]) => [key, label, h("input", { id: place(key), autocomplete, required: true, ...(key === "name" ? { maxlength: LONGEST_NAME, value: kept("name", "") } : { type: "password", maxlength: LONGEST_PASSWORD }) })]);
    const submit = async (event) => {
      event.preventDefault();
      try {
        await send(Object.fromEntries(inputs.map(([key, , input]) => [key, input.value])));
      } catch (problem) {
        this.#say(problem.message);
      }
    };
    return h("form", { class: "ways", onsubmit: submit }, h("p", { class: "quiet" }, say(how)),
      inputs.map(([key, label, input]) => [h("label", { for: place(key) }, say(label)), input]), h("button", { class: "main", id }, say(action)));
  }

  #accountForms() {
    const old = ["password", "password", "current-password"];
    return [
      h("button", { type: "button", class: "quiet", id: "leave", onclick: () => this.#leave(() => api("/api/session", { method: "DELETE" })) }, say("sign out", { name: this.you })),
      h("details", {}, h("summary", {}, say("change password")),
        this.#form("change", "change password", "change how", [old, ["new", "new password", "new-password"]], async (asked) => { await post("/api/account", asked, "PUT"); this.#come(); this.#say(say("password changed")); })),
      h("details", {}, h("summary", {}, say("delete account")),
        this.#form("delete", "delete account", "delete how", [old], ({ password }) => this.#leave(() => post("/api/account", { password }, "DELETE")))),
    ];
  }

  async #leave(ask) {
    await ask();
    this.you = "";
    this.#come();
  }
}
