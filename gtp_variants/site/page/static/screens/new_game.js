// The form for a new game; the server describes its options.

import { Board } from "../board/board.js";
import { clockOf, clockOptions } from "../data/clocks.js";
import { keep, kept } from "../data/kept.js";
import { about, api, beginGame } from "../data/net.js";
import { filled, h, onSubmit, optionsOf } from "../ui/dom.js";
import { rulesLink } from "../ui/parts.js";
import { pressEnds } from "../ui/press.js";
import { capital, has, language, meaningOf, nameOf, say } from "../ui/words.js";

// The level that thinks for about a second per move.
const DEFAULT_LEVEL = 9;
// Other limits on a bot's thinking: the value offered first, and the range that the server accepts.
const LIMITS = {
  "seconds": { usual: 2, min: 0.1, max: 60, step: "any" },
  "playouts": { usual: 1000, min: 1, max: 1_000_000, step: 1 },
};
const HANDICAPS = [2, 3, 4, 5, 6, 7, 8, 9];
// Options that concern the board and the number of players, not the rules.
const USUAL = ["size", "n", "width", "height", "board", "players"];

export class NewGame {
  /** @type {Record<string, Record<string, any>>} the row of each colour */
  rows = {};

  constructor(server, wanted, isRefereeing) {
    this.server = server;
    this.seats = isRefereeing ? { b: "me", w: "me" } : {};
    this.names = {};
    [this.name, this.given] = read(wanted ?? kept("spec", "aleago"));
    const named = fold(this.name);
    this.name = server.games.find(({ name, title }) => name === named || fold(title) === named)?.name ?? "aleago";
    const page = this.page = filled("new-game");
    this.element = page.root;
    page.games.append(...server.games.map((game) => this.#pick(game)));
    page.clock.append(h("option", { value: "" }, say("no clock")), ...clockOptions(kept("clock", "")));
    page.handicap.append(...optionsOf([["0", say("no handicap")], ...HANDICAPS.map((count) => [String(count), say("handicap of", { count })])], "0"));
    page.chat.checked = kept("chat", true);
    page.chat.addEventListener("change", () => keep("chat", page.chat.checked));
    onSubmit(page.root, () => this.#begin(), (why) => { page.error.textContent = why; });
  }

  #pick({ name, title }) {
    const choose = () => {
      Object.assign(this, { name, given: {} });
      this.choose();
    };
    return h("label", { class: "pick" }, h("input", { type: "radio", name: "game", value: name, checked: name === this.name, "aria-label": title, onchange: choose }),
      h("span", {}, h("img", { src: `/api/picture?spec=${name}`, alt: "", width: 96, height: 96, loading: "lazy" }),
        h("strong", {}, title), has(`about ${name}`) ? h("small", {}, say(`about ${name}`)) : null));
  }

  spec() {
    const pairs = Object.entries(this.given).map(([key, value]) => `${key}=${value}`);
    return pairs.length ? `${this.name}:${pairs.join(",")}` : this.name;
  }

  /** Show the options of the chosen game, and return true if that worked. @returns {Promise<boolean>} */
  choose() {
    this.chosen = this.#describe();
    return this.chosen;
  }

  async #describe() {
    const spec = this.spec(), { page } = this;
    let described;
    try {
      described = await api(about("describe", spec));
    } catch (problem) {
      // If the link names an impossible game, offer the default options.
      const isLink = !this.described && spec !== this.name;
      if (isLink) this.given = {};
      const isShown = isLink && await this.#describe();
      page.error.textContent = problem.message;
      return isShown;
    }
    await pressEnds();
    if (spec !== this.spec()) return this.chosen;
    if (!page.root.isConnected) return false;
    page.error.textContent = "";
    this.described = described;
    const focused = document.activeElement?.id;
    this.#show();
    if (focused) document.getElementById(focused)?.focus();
    return true;
  }

  #show() {
    const { page, described } = this, board = new Board(described), isUsual = ({ name }) => USUAL.includes(name);
    board.draw({ stones: {} });
    board.element.setAttribute("aria-hidden", "true");
    page.preview.replaceChildren(board.element);
    page.links.replaceChildren(...(described.lesson ? [h("a", { href: `#lesson=${this.name}`, class: "learn" }, say("learn"))] : []), rulesLink(described.spec, "rules"));
    const options = described.options.filter(({ name }) => name !== "lang");
    // The most used options stand beside the players.
    page.usual.replaceChildren(...options.filter(isUsual).map((each) => this.#option(each)));
    page.options.replaceChildren(...options.filter((each) => !isUsual(each)).map((each) => this.#option(each)));
    page.stones.hidden = described.handicap === "none";
    this.#seat();
  }

  // One person who plays all sides of a hidden game is its referee, for people at real boards.
  get isReferee() {
    return !this.described.open && Object.values(this.rows).every(({ seat }) => seat.value === "me");
  }

  // Show who can play each colour.
  #seat() {
    const { described: { players, open, bot: best }, server: { bots }, page } = this;
    // Leave out bots that cannot play with hidden stones, if the game has any. The best bot comes first.
    const fit = bots.filter(({ hidden }) => hidden || open).sort((one, other) => Number(other.name === best) - Number(one.name === best));
    // A public site has no bots to play with at once.
    const usual = fit.length ? `bot:${best}` : "link", bot = fit.map(({ name, title }) => [`bot:${name}`, title[language()]]);
    const people = [["me", say("me")], ["link", say("link")]], offered = [...people, ...bot].map(([value]) => value);
    const chosen = Object.fromEntries(players.map((colour, index) => {
      const value = this.seats[colour] ?? (index ? usual : "me");
      return [colour, offered.includes(value) ? value : usual];
    }));
    // The creator is the first player at this screen.
    const mine = players.find((colour) => chosen[colour] === "me");
    this.rows = Object.fromEntries(players.map((colour) => [colour, this.#row(colour, colour === mine ? kept("name", "") : "")]));
    for (const [colour, { seat, show }] of Object.entries(this.rows)) {
      seat.append(...optionsOf(people, chosen[colour]), ...(bot.length ? [h("optgroup", { label: say("bots") }, optionsOf(bot, chosen[colour]))] : []));
      show();
    }
    page.seats.replaceChildren(...Object.values(this.rows).map(({ root }) => root));
  }

  // Return the row of a colour: who plays it, the strength of a bot (a level, or seconds or playouts per move), a name.
  #row(colour, given) {
    const row = filled("seat"), { label, seat, level, amount, name } = row;
    for (const [key, field] of Object.entries({ seat, level, amount, name })) field.id = `${key}-${colour}`;
    label.htmlFor = seat.id;
    label.append(h("i", { class: `dot ${colour}` }), nameOf(colour));
    name.value = this.names[colour] ?? given;
    name.addEventListener("input", () => { this.names[colour] = name.value; });
    const fit = () => {
      // A hidden field must not block the form.
      amount.hidden = amount.disabled = level.hidden || !(level.value in LIMITS);
      if (amount.hidden) return;
      const { usual, ...bounds } = LIMITS[level.value];
      Object.assign(amount, bounds, { value: kept(level.value, usual) });
    };
    level.addEventListener("change", fit);
    const show = () => {
      const bot = this.server.bots.find((each) => `bot:${each.name}` === seat.value && each.levels)?.name, meanings = this.described.levels[bot] ?? [];
      const levels = meanings.map((meaning, index) => [String(index + 1), say("level is", { level: index + 1, meaning })]);
      level.replaceChildren(...optionsOf([...levels, ...Object.keys(LIMITS).map((key) => [key, say(key)])], level.value || String(kept("level", DEFAULT_LEVEL))));
      level.hidden = !meanings.length;
      name.hidden = seat.value !== "me";
      this.page.referee.textContent = this.isReferee ? say("referee how") : "";
      fit();
    };
    seat.addEventListener("change", () => {
      this.seats = { ...this.seats, [colour]: seat.value };
      show();
    });
    return { ...row, show };
  }

  #option(each) {
    const { name, type, choices = [] } = each, id = `option-${name}`, value = read(this.described.spec)[1][name] ?? each.default;
    const onchange = ({ target }) => {
      this.given = { ...this.given, [name]: type === "bool" ? String(target.checked) : target.value.trim() };
      this.choose();
    };
    const isClosed = choices.length && (type === "choice" || (type !== "int" && name !== "mapping"));
    const input = type === "bool" ? h("input", { type: "checkbox", id, checked: value === "true", onchange })
      : isClosed ? h("select", { id, onchange }, optionsOf([...new Set([...(choices.includes(value) ? [] : [value]), ...choices])].map((choice) => [choice, choice]), value))
        : h("input", { id, value, size: 8, autocomplete: "off", onchange });
    return h("div", { class: "row option" }, h("label", { for: id }, h("span", {}, capital(meaningOf(each)))), input);
  }

  /** Return what a row chooses, in the form the server reads; keep the strength. @param {Record<string, any>} row */
  #chosen({ seat, level, amount, name }) {
    const [kind, bot] = seat.value.split(":");
    if (kind !== "bot") return kind === "me" ? { kind: "person", name: name.value.trim() } : { kind: "invited" };
    if (level.hidden) return { kind, bot };
    const key = level.value in LIMITS ? level.value : "level", value = Number(key === "level" ? level.value : amount.value);
    keep(key, value);
    return { kind, bot, [key]: value };
  }

  async #begin() {
    // Wait for pending options, which may still change the seats, instead of asking the user to try again.
    if (!await this.chosen && !await this.choose()) return;
    const { page, isReferee } = this, spec = this.spec(), seats = Object.fromEntries(Object.entries(this.rows).map(([colour, row]) => [colour, this.#chosen(row)]));
    const mine = Object.values(seats).find(({ kind }) => kind === "person");
    if (mine && !isReferee) keep("name", mine.name);
    keep("clock", page.clock.value);
    const handicap = page.stones.hidden ? 0 : Number(page.handicap.value), clock = clockOf(page.clock.value);
    await beginGame({ spec, lang: language(), seats, chat: page.chat.checked, handicap, ...(isReferee ? { referee: true } : {}), clock, nonces: true }, this.described.title, Boolean(mine));
    keep("spec", spec);
  }
}

// Return a game's name or title in small letters without accents, with "-" between its words.
const fold = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").trim().toLowerCase().replace(/[\s_]+/g, "-");

function read(spec) {
  const [name, rest = ""] = spec.split(/:(.*)/s);
  return [name, Object.fromEntries(rest.split(",").filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2)))];
}
