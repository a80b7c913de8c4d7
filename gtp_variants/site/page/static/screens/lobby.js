// The lobby of a site: who is here, what they offer, and what is played. A guest plays at once; a password keeps a name.

import { clockName, clockOf, clockOptions } from "../data/clocks.js";
import { keep, kept } from "../data/kept.js";
import { api, Line, post } from "../data/net.js";
import { strengthOf } from "../data/opponents.js";
import { filled, h, onSubmit, optionsOf, redraw } from "../ui/dom.js";
import { language, say } from "../ui/words.js";

const HIGHEST = 9999;
const MOST_NAMES = 3;
// Only these requests may wait for the line. Others name an offer by its number, and a server that began again gives it to another.
const MAY_WAIT = ["offer", "seek", "rest"];

export class LobbyScreen {
  /** @type {any} */
  told = { games: [], here: [], seeks: [], running: [], results: [], tournaments: [] };
  /** @type {Map<string, Record<string, any>>} what was asked for while the line was down, the last request of each kind */
  late = new Map();

  /** @param {HTMLElement} main @param {{ you: string, owner: boolean, games: { name: string, title: string }[] }} about @param {(text: string) => void} tellAloud */
  constructor(main, about, tellAloud) {
    this.you = about.you;
    this.titles = Object.fromEntries(about.games.map(({ name, title }) => [name, title]));
    this.tellAloud = tellAloud;
    // The name of a guest or an account, as others see it.
    this.name = about.you;
    const page = this.page = filled("lobby"), { game, options, clock } = this.fields = page.offer.elements;
    page.account.hidden = about.owner;
    game.append(...optionsOf(Object.entries(this.titles), kept("offer", "aleago")));
    options.value = kept("offer options", "");
    clock.append(...clockOptions(kept("offer clock", "clock fischer:1")));
    game.addEventListener("change", () => this.#show());
    onSubmit(page.offer, () => this.#send(""), (why) => this.#say(why));
    page.seek.addEventListener("click", () => this.#seek());
    main.replaceChildren(h("h1", { class: "unseen" }, say("play")), page.root);
    this.#come();
  }

  end() {
    this.line.end();
  }

  #come() {
    this.line?.end();
    this.isUp = this.isSeeking = false;
    this.late.delete("seek");
    this.line = new Line("/api/lobby", () => ({ do: "look", token: kept("token") }), (message) => this.#hear(message), (isUp) => this.#note(isUp));
    this.#show();
  }

  #note(isUp) {
    if (isUp === this.isUp) return;
    this.isUp = isUp;
    if (!isUp) {
      if (this.isSeeking) this.#tell({ do: "seek", games: this.#wanted() });
      this.#say(say("lost"));
      return;
    }
    if (this.page.said.textContent === say("lost")) this.#say("");
    const late = [...this.late.values()];
    this.late.clear();
    for (const request of late) this.#tell(request);
  }

  #say(text) {
    this.page.said.textContent = text;
    this.tellAloud(text);
  }

  #ask(request) {
    this.#say("");
    if (this.line.isEnded) this.#come();
    this.#tell(request);
  }

  // Send a request. While the line is down, keep it if it may wait, or else say that the line is lost.
  #tell(request) {
    if (this.line.send({ ...request, lang: language() })) return;
    if (!MAY_WAIT.includes(request.do)) { this.#say(say("lost")); return; }
    // A rest takes back everything before it.
    if (request.do === "rest") this.late.clear();
    this.late.delete(request.do);
    this.late.set(request.do, request);
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
    const { told, you, page } = this, seeks = told.seeks.filter(({ by, to }) => !to || to === this.name || by === this.name);
    redraw(page.games, told.games, () => told.games.map((game) => h("label", { class: "check" }, h("input", { type: "checkbox", name: "game", value: game, checked: true }), this.titles[game] ?? game)));
    page.games.disabled = this.isSeeking;
    page.seek.textContent = say(this.isSeeking ? "wait no more" : "find opponent");
    this.fields.rated.parentElement.hidden = !you;
    redraw(page.account, you, () => [you ? this.#account() : this.#guest()]);
    redraw(page.seeks, [seeks, this.name], () => seeks.map((each) => this.#seekRow(each)));
    redraw(page.here, [told.here, this.fields.game.value], () => told.here.map((each) => this.#row(each)));
    redraw(page.results, told.results, () => told.results.map(({ game, spec, players, result }) => h("li", {},
      h("a", { href: `#game=${game}` }, players.join(" – ")), h("strong", {}, result), h("span", { class: "quiet" }, this.#titleOf(spec)))));
    redraw(page.tournaments, told.tournaments, () => told.tournaments.map((each) => this.#tournament(each)));
    redraw(page.running, told.running, () => told.running.map(({ game, title, players }) => h("li", {}, h("a", { href: `#game=${game}` }, players.join(" – ")), h("span", { class: "quiet" }, title))));
  }

  #titleOf(spec) {
    const [game] = spec.split(":");
    return this.titles[game] ?? game;
  }

  #tournament({ name, spec, begins, round, rounds, over, players }) {
    const key = over ? "tournament over" : round ? "tournament round" : players.length ? "tournament begins for" : "tournament begins";
    const names = (round ? players.slice(0, MOST_NAMES) : players).join(", ");
    return h("li", {}, round ? h("a", { href: `/tournament/${encodeURIComponent(name)}` }, name) : h("strong", {}, name), " ", this.#titleOf(spec),
      h("span", { class: "quiet" }, say(key, { time: new Date(begins).toLocaleString(language()), names, round, rounds })));
  }

  // Describe a player by the rating at the game in the form, in a word and as a number, or else by all games.
  #row({ name, kind, ratings, waits }) {
    const chosen = this.fields.game.value, games = waits.length ? waits : Object.keys(ratings);
    const rated = (game) => [this.titles[game] ?? game, ratings[game]].filter(Boolean).join(" ");
    const strength = ratings[chosen] ? [say(strengthOf(parseFloat(ratings[chosen]))), ratings[chosen]] : [games.map(rated).join(", ")];
    const about = [kind === "bot" ? say("program") : "", ...strength];
    const who = [name, h("span", { class: "quiet" }, about.filter(Boolean).join(" · "))];
    return h("li", {}, kind === "guest" ? h("div", {}, who) : h("a", { href: `/player/${encodeURIComponent(name)}` }, who),
      name === this.name ? null : h("button", { type: "button", class: "quiet challenge", onclick: () => this.#challenge(name, waits) }, say("challenge")));
  }

  // Offer the game in the form to one player; to a bot, a game that it plays.
  #challenge(name, waits) {
    const { game } = this.fields;
    if (waits.length && !waits.includes(game.value)) game.value = waits[0];
    this.#send(name);
    this.#show();
  }

  #seekRow({ seek, by, spec, title, clock, rated, low, high, to }) {
    const range = low > 0 || high < HIGHEST ? `${low}–${high}` : "";
    const about = [clockName(clock), say(rated ? "rated game" : "unrated game"), range, to && to !== this.name ? `→ ${to}` : ""].filter(Boolean).join(" · ");
    const isMine = by === this.name;
    return h("li", { title: spec }, h("div", {}, h("strong", {}, by), " ", title, h("span", { class: "quiet" }, about)),
      h("button", { type: "button", class: isMine ? "quiet" : "main accept", onclick: () => (isMine ? this.#rest() : this.#ask({ do: "accept", seek })) }, say(isMine ? "withdraw" : "accept")));
  }

  #wanted() {
    return [...this.page.games.querySelectorAll(":checked")].map(({ value }) => value);
  }

  #seek() {
    if (this.isSeeking) { this.#rest(); return; }
    const games = this.#wanted();
    if (!games.length) { this.#say(say("choose games")); return; }
    this.#ask({ do: "seek", games });
    // A line that was ended begins again with nobody seeking, so this comes last.
    this.isSeeking = true;
    this.#say(say("seeking"));
    this.#show();
  }

  // A rest ends the offer and the seeking.
  #rest() {
    this.#ask({ do: "rest" });
    this.isSeeking = false;
    this.#show();
  }

  // Offer the game in the form to a player, or to everybody.
  async #send(to) {
    const { game, options, clock, rated, low, high } = this.fields, extra = options.value.trim();
    keep("offer", game.value);
    keep("offer options", extra);
    keep("offer clock", clock.value);
    this.#ask({ do: "offer", spec: extra ? `${game.value}:${extra}` : game.value, clock: clockOf(clock.value), rated: Boolean(this.you) && rated.checked,
      low: Number(low.value), high: Number(high.value), to });
  }

  #guest() {
    const form = filled("guest");
    form.name.value = kept("name", "");
    onSubmit(form.root, async ({ name, password }) => {
      this.you = (await post("/api/session", { name: name.trim(), password })).name;
      this.#come();
    }, (why) => this.#say(why));
    return form.root;
  }

  #account() {
    const account = filled("account"), refused = (why) => this.#say(why);
    const leave = async (asked) => {
      await asked;
      this.you = "";
      this.#come();
    };
    account.name.textContent = this.you;
    account.leave.textContent = say("sign out", { name: this.you });
    account.leave.addEventListener("click", () => leave(api("/api/session", { method: "DELETE" })));
    onSubmit(account.change, async (asked) => {
      await post("/api/account", asked, "PUT");
      this.#come();
      this.#say(say("password changed"));
    }, refused);
    onSubmit(account.delete, (asked) => leave(post("/api/account", asked, "DELETE")), refused);
    return account.root;
  }
}
