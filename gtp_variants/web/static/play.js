// The screen of one game.

import { Board } from "./board.js";
import { isLocal, isMoving, linkCard, openLines, roll, shownDice, speak, titleOf } from "./parts.js";
import { api, games, h, keep, keepGame, kept, Line, post, recoveryWords, seatLink } from "./net.js";
import { recoveryNote } from "./seat.js";
import { language, named, nameOf, say } from "./words.js";

const ASK_MS = 200; // so long a moment is looked at before it is asked about
const SMALL_PX = 27; // points nearer to each other than this are played by two taps
const OTHER = { b: "w", w: "b", r: "w" };

export class GameScreen {
  constructor(main, game, seat, tellAloud, known) {
    Object.assign(this, { main, game, seat, tellAloud, known });
    this.at = null; // how much of the news is shown; null for all of it
    this.guesses = kept(`guesses:${seat ?? game}`, {});
    this.hints = [];
    this.analyses = {}; // by whose board and how much of the news is shown
    this.viewed = ""; // whose board is shown when a hidden game is over; "" for the referee's
    this.line = new Line(game, seat, (message) => this.#heard(message), (isUp, code) => this.#connected(isUp, code));
    this.keys = (event) => this.#key(event);
    addEventListener("keydown", this.keys);
    this.ticking = setInterval(() => this.#clocks(), 250);
  }

  end() {
    this.line.end();
    removeEventListener("keydown", this.keys);
    clearInterval(this.ticking);
  }

  // -- what comes from the server --------------------------------------------------------------------------------------

  async #heard(message) {
    if (message.type === "hint") return this.#hinted(message);
    if (message.type === "hidden") return this.#imagined(message);
    if (message.type === "analysis") return this.#analysed(message);
    if (message.type === "odds") return this.#told(message.odds);
    if (message.type === "who") return this.#met(message);
    if (message.type === "error") return this.#notice(message.error, true);
    if (message.type === "game") {
      // What comes while the board is being made waits for it.
      this.waiting = [];
      await this.#begin(message);
      const waiting = this.waiting;
      this.waiting = null;
      waiting.forEach((each) => this.#news(each));
    } else if (this.waiting) {
      this.waiting.push(message);
    } else {
      this.#news(message);
    }
  }

  async #begin(message) {
    let isFirst = false;
    const spec = message.spec.replace(/,?lang=\w+/, "");
    if (this.spec !== message.spec) {
      this.describe = await api(`/api/describe?spec=${encodeURIComponent(spec)}`);
      this.spec = message.spec;
      this.#build(message);
      isFirst = true;
    }
    Object.assign(this, { whole: message, setup: message.setup, news: message.news });
    this.at = null;
    this.viewed = "";
    this.analyses = {};
    this.#forgetHelp();
    this.#take(message, false);
    this.known(message.you, message.title, message.state.final);
    this.#follow();
    if (isFirst && recoveryWords.has(this.game)) this.#welcome();
  }

  // Whoever has just come to a seat is told the word to come back by, and who to invite.
  #welcome() {
    const words = recoveryWords.get(this.game);
    recoveryWords.delete(this.game);
    if (games()[this.game]?.creator) {
      this.#share(words);
      return;
    }
    const dialog = h("dialog", { "aria-label": say("recovery word") }, recoveryNote(words),
      h("button", { type: "button", class: "main", onclick: () => dialog.close() }, say("close")));
    this.#open_dialog(dialog);
  }

  #news(message) {
    this.news.push(...message.news);
    if (message.news.length) this.#forgetHelp();
    this.#take(message, true);
    for (const item of message.news) this.#say(item);
    if (message.state.final) this.known(this.whole.you, this.whole.title, true);
    this.#follow();
  }

  // What was helpful before something happened.
  #forgetHelp() {
    Object.assign(this, { hints: [], owners: {}, shares: {}, hidden: null, odds: null });
  }

  #take(message, isNew) {
    const { state, seats, watching, kept: isKept, lost: isSilent } = message;
    Object.assign(this, { state, seats, watching, isKept, isSilent });
    // A referee acts for whoever is asked.
    if (this.whole.referee) this.whole.you = this.state.asked ?? this.describe.players[0];
    this.since = performance.now();
    this.sent = false;
    const thrown = isNew && message.news.some((item) => item.kind === "draw" && item.faces.length);
    // More than a few at once come after something was missed.
    this.#show(isNew && message.news.length < 4, thrown);
  }

  #met({ seats, watching, kept: isKept, lost: isSilent }) {
    Object.assign(this, { seats, watching, isKept, isSilent });
    if (!this.state) return;
    this.#players();
    this.#status();
    this.#invitations();
  }

  // Whoever plays several sides at one screen turns to the side that is asked.
  #follow() {
    const held = games()[this.game];
    const asked = this.state.asked;
    if (!asked || !this.whole.open || !held?.mine?.includes(asked) || asked === this.whole.you) return;
    if (!held.mine.includes(this.whole.you)) return;
    const link = seatLink(this.game, asked);
    keepGame(this.game, { link });
    history.replaceState(null, "", link);
    this.seat = held.seats[asked];
    this.line.end();
    this.line = new Line(this.game, this.seat, (message) => this.#heard(message), (isUp, code) => this.#connected(isUp, code));
  }

  #connected(isUp, code) {
    if (isUp) {
      this.lost?.remove();
      this.lost = null;
    } else if (!this.lost) {
      const isGone = code === 4404;
      const text = !isGone ? say("lost") : this.whole && this.seat ? say("seat gone") : say("gone");
      const back = this.seat ? h("a", { href: `#game=${this.game}&recover` }, say("recover")) : null;
      this.lost = h("p", { class: "banner error", role: "alert" }, text, isGone ? [h("a", { href: "#" }, say("home")), " ", back] : null);
      this.main.prepend(this.lost);
    }
  }

  // -- the parts of the screen -----------------------------------------------------------------------------------------

  #build(message) {
    document.title = `${message.title} · gtp-variants`;
    this.board = new Board(this.describe, {
      choose: (vertex, event) => this.#chosen(vertex, event),
      mark: (vertex) => this.#mark(vertex),
      tell: (vertex) => vertex && this.tellAloud(this.#inWords(vertex)),
    });
    this.board.element.setAttribute("aria-label", `${say("board")}. ${say("keys")}`);
    const part = (name, attributes = {}) => (this[name] = h("div", { class: name, ...attributes }));
    this.main.replaceChildren(h("h1", { class: "unseen" }, message.title), h("div", { class: "screen" },
      h("div", { class: "table" }, part("frame"), part("others")),
      h("div", { class: "side" }, part("status", { role: "status" }), part("rates"), part("throwing"), part("saying"), part("banner"),
        part("buttons"), part("players"), part("turning"), part("movesList"), part("more"))));
    this.frame.append(this.board.element);
    this.others.hidden = true;
  }

  // Whether the seat was opened by a link that has its token, which whoever gave the link has, too.
  get isByToken() {
    return !Object.values(games()[this.game]?.seats ?? {}).includes(this.seat);
  }

  get isLive() {
    return this.at === null || this.at >= this.news.length;
  }

  // The stones, the last move and the draw after the first `count` pieces of news.
  #moment(count) {
    const stones = { ...this.setup };
    let last = null, draw = null, said = [], captured = [], tried = [];
    for (const item of this.news.slice(0, count)) {
      if (item.kind === "draw") {
        draw = item;
        continue;
      }
      for (const [vertex, colour] of Object.entries(item.put)) {
        if (colour) stones[vertex] = colour;
        else delete stones[vertex];
      }
      if (item.refused) {
        if (item.at) tried.push(item.at);
      } else {
        [captured, tried] = [item.captured, []];
        if (item.kind !== "other") [last, draw] = [item.at, null];
      }
      said = item.said;
    }
    return { stones, last, draw, said, captured, tried };
  }

  #show(animate = false, isThrown = false) {
    const moment = this.#moment(this.isLive ? this.news.length : this.at);
    this.moment = moment;
    const state = this.state;
    const isMine = this.isLive && Boolean(this.whole.you) && (state.asked === this.whole.you);
    this.isMine = isMine;
    const seen = this.#analysis() ?? (this.isLive ? { moves: this.hints, owners: this.owners, shares: this.shares, odds: this.hidden } : {});
    const legal = isMine ? state.legal.filter((word) => this.describe.points[word]) : [];
    this.board.draw({
      stones: moment.stones,
      last: moment.last,
      legal,
      ghost: state.asked,
      marking: this.isMarking,
      open: this.#open(moment),
      tried: moment.tried,
      marked: this.isLive ? [...(state.immune ?? []), ...(state.line ?? [])] : [],
      losing: this.isLive && kept("losing", true) ? state.losing ?? [] : [],
      dead: this.isLive ? state.dead ?? [] : [],
      atari: kept("atari", true) && this.whole.open && !state.final ? this.#atari(moment.stones) : [],
      guesses: this.whole.open || this.whole.referee || state.final ? {} : this.guesses,
      hints: seen.moves ?? [],
      owners: seen.owners ?? {},
      hidden: seen.odds ?? {},
      hiddenColour: OTHER[this.viewed || this.whole.you],
      numbers: this.odds && this.isLive ? this.#numbers() : {},
      animate: animate && isMoving(),
    });
    this.#players();
    this.#status();
    this.#rates(seen.shares ?? {});
    this.#throwing(isThrown);
    this.#saying();
    this.#banner();
    this.#buttons();
    this.#turning();
    this.#moves();
    this.#more();
    this.#unveiled();
  }

  // Whether everybody may ask how the moments of this game stand; of a hidden one only where stones may have been.
  get canAnalyse() {
    const isElsewhere = Object.values(this.seats).every(({ kind }) => kind === "elsewhere");
    return (this.state.final || (this.whole.open && isElsewhere)) && (this.whole.open || Boolean(this.viewed));
  }

  // What is known of the moment that is shown; asked for if it is wanted and not known yet.
  #analysis() {
    if (!this.isAnalysing || !this.canAnalyse) return null;
    const at = this.isLive ? this.news.length : this.at;
    const known = this.analyses[`${this.viewed}:${at}`];
    clearTimeout(this.asking);
    if (!known) this.asking = setTimeout(() => this.line.send({ do: "analysis", at, of: this.viewed }), ASK_MS);
    return known ?? {};
  }

  #analysed(message) {
    this.analyses[`${message.of}:${message.at}`] = { ...message, moves: message.moves?.filter(({ part }) => part >= 0.02) };
    if (!this.waiting) this.#show();
  }

  // Who wins how likely, as parts of a bar.
  #rates(shares) {
    const parts = Object.entries(shares).map(([colour, share]) => ({ colour, part: Math.round(100 * share) }));
    this.rates.hidden = !parts.length;
    this.rates.setAttribute("role", "img");
    this.rates.setAttribute("aria-label", parts.map(({ colour, part }) => say("win rate", { name: nameOf(colour), part })).join(", "));
    this.rates.replaceChildren(...parts.map(({ colour, part }) => {
      const segment = h("span", { class: colour }, part < 8 ? "" : `${part} %`);
      segment.style.flex = `${Math.max(part, 1)} 0 0`;
      return segment;
    }));
  }

  // How likely each line is to open, in hundredths, at its corners or, where it has none, at one of its points.
  #numbers() {
    const { lines, points, grid: [width] } = this.describe;
    const numbers = {}, others = {};
    for (const [vertex, line] of Object.entries(lines)) {
      const [x, y] = points[vertex][0];
      if (!this.odds[line] || this.hints.some(({ at }) => at === vertex)) continue;
      if (x === y || x === width - 1 - y) numbers[vertex] = line;
      else others[line] = vertex;
    }
    const shown = new Set(Object.values(numbers));
    for (const [line, vertex] of Object.entries(others)) if (!shown.has(Number(line))) numbers[vertex] = line;
    return Object.fromEntries(Object.entries(numbers).map(([vertex, line]) => [vertex, `${Math.round(100 * this.odds[line])}%`]));
  }

  // The empty points on the lines that the draw opens.
  #open(moment) {
    const draw = this.isLive ? this.state.draw : moment.draw?.draw;
    if (!draw || !this.describe.lines) return [];
    return Object.entries(this.describe.lines)
      .filter(([vertex, line]) => draw.open.includes(line) && !moment.stones[vertex]).map(([vertex]) => vertex);
  }

  #atari(stones) {
    const found = [], seen = new Set();
    for (const start of Object.keys(stones)) {
      if (seen.has(start)) continue;
      const chain = [start], free = new Set();
      seen.add(start);
      for (const vertex of chain) {
        for (const near of this.board.near[vertex] ?? []) {
          if (!stones[near]) free.add(near);
          else if (stones[near] === stones[start] && !seen.has(near)) {
            seen.add(near);
            chain.push(near);
          }
        }
      }
      if (free.size === 1) found.push(...chain);
    }
    const immune = new Set(this.state.immune ?? []);
    return found.filter((vertex) => !immune.has(vertex));
  }

  #who(colour) {
    const seat = this.seats[colour];
    if (!seat) return "";
    if (this.whole.referee) return seat.name ?? "";
    if (colour === this.whole.you) return seat.name ? say("you as", { name: seat.name }) : say("you");
    return titleOf(seat);
  }

  #players() {
    const state = this.state;
    this.players.replaceChildren(...this.describe.players.map((colour) => h("div", {
      class: `player${state.asked === colour ? " asked" : ""}`,
    },
    h("i", { class: `dot ${colour}`, "aria-hidden": "true" }),
    h("div", {}, h("strong", {}, nameOf(colour)), h("span", {}, this.#who(colour))),
    h("span", { class: "taken", title: say("took") }, h("span", { class: "unseen" }, named("took")), `⊙ ${state.captures[colour] ?? 0}`),
    this.seats[colour]?.kind === "person" && colour !== this.whole.you && !this.whole.referee && !state.final
      ? h("span", { class: `here ${this.seats[colour].here ? "is" : "not"}` }, this.#presence(this.seats[colour])) : null,
    state.clocks ? h("time", { class: "clock", "data-colour": colour }) : null)));
    this.#clocks();
  }

  #presence(seat) {
    if (seat.here) return say("here");
    return seat.claimed ? say("waiting") : say("unclaimed");
  }

  #clocks() {
    if (!this.state?.clocks) return;
    for (const clock of this.players.querySelectorAll(".clock")) {
      const { colour } = clock.dataset;
      const gone = this.state.running && this.state.asked === colour ? (performance.now() - this.since) / 1000 : 0;
      const left = Math.max(0, this.state.clocks[colour] - gone);
      clock.textContent = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
      clock.classList.toggle("short", left < 20);
    }
  }

  #status() {
    const { asked, final, counting, suspended, reason } = this.state;
    let text;
    if (!this.isLive) text = say("move", { number: `${this.at} / ${this.news.length}` });
    else if (final) text = capital(reason || say(this.state.over ? "over" : "record"));
    else if (counting) text = say("counting");
    else if (suspended && asked) text = asked === this.whole.you && !this.whole.referee ? say("your end") : say("asked end", { name: nameOf(asked) });
    else if (asked === this.whole.you && !this.whole.referee) text = say("your turn");
    else if (asked && this.seats[asked]?.kind !== "person") text = say("thinks", { name: nameOf(asked) });
    else if (asked) text = say("turn of", { name: nameOf(asked) });
    else text = this.state.waiting ? say("dice wait") : "";
    const more = [];
    if (suspended && this.state.dead && this.isLive && !final) more.push(say("dead how"));
    if (suspended && reason && !final) more.push(capital(reason));
    if (!this.whole.you && !final) more.push(say("watch"));
    if (this.whole.you && !final && this.isByToken) more.push(say("seat by token"));
    if (this.whole.referee && !final) more.push(say("referee how"));
    else if (!this.whole.open && !final) more.push(say(this.whole.you ? "hidden" : "watch hidden"));
    if (this.state.coming_dice && !final) more.push(say("dice coming", { dice: this.state.coming_dice }));
    if (this.isSilent && !final) more.push(say("silent"));
    if (!this.isKept) more.push(say("not kept"));
    const key = `${text}|${more}`;
    if (this.statusKey === key) return;
    this.statusKey = key;
    this.status.replaceChildren(
      h("p", { class: `big${this.isMine ? " mine" : ""}` }, asked && !final ? h("i", { class: `dot ${asked}`, "aria-hidden": "true" }) : null, text),
      ...more.map((line) => h("p", { class: "quiet" }, line)));
  }

  #throwing(isThrown) {
    const item = this.moment.draw;
    this.throwing.hidden = !("draw" in this.state) || !this.describe.lines || !item || this.state.final;
    if (this.throwing.hidden) return;
    const sides = Number(item.dice.split("d")[1]);
    const draw = this.isLive ? this.state.draw : item.draw;
    const lines = draw?.open ?? [];
    const text = !item.faces.length ? say("draw none") : openLines(lines);
    const dice = shownDice(item.faces, sides);
    this.throwing.replaceChildren(dice, h("p", {}, text));
    if (isThrown && isMoving()) roll(dice, item.faces, sides);
  }

  #saying() {
    const said = this.moment.said;
    this.saying.hidden = !said.length;
    this.saying.replaceChildren(h("span", { class: "quiet" }, say("announced")), ...said.map((text) => h("p", {}, text)));
  }

  #say(item) {
    const words = item.said?.length ? item.said.join(". ") : itemText(item);
    this.tellAloud(words);
    if (kept("speak", this.whole.referee) && item.said?.length) speak(words, /lang=(\w+)/.exec(this.spec)?.[1] ?? "en");
  }

  #banner() {
    const wish = this.state.wish;
    const you = this.whole.you;
    const parts = [];
    if (wish && you) {
      const text = say(`wish ${wish.what}`, { name: nameOf(wish.colour), dice: wish.dice });
      parts.push(h("p", {}, text), wish.agreed.includes(you)
        ? h("p", { class: "quiet" }, say("wish mine"))
        : h("div", { class: "row" }, this.#button("allow", () => this.#do("allow"), "main"), this.#button("refuse", () => this.#do("refuse"))));
    }
    if (this.note) parts.push(h("p", { class: this.isWarning ? "error" : "" }, this.note));
    this.banner.hidden = !parts.length;
    this.banner.replaceChildren(...parts);
  }

  #notice(text, isWarning = false) {
    this.note = text;
    this.isWarning = isWarning;
    this.sent = false;
    this.#banner();
    this.tellAloud(text);
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => {
      this.note = null;
      this.#banner();
    }, 6000);
  }

  #button(key, act, kind = "") {
    return h("button", { type: "button", class: kind, "data-do": key, onclick: act }, say(key));
  }

  #toggle(key, isOn, act) {
    const button = this.#button(key, act);
    button.setAttribute("aria-pressed", String(isOn));
    return button;
  }

  #buttons() {
    const { final, counting, suspended, legal } = this.state;
    const people = Object.values(this.seats).filter((seat) => seat.kind === "person").length;
    const focused = document.activeElement?.dataset?.do;
    const buttons = [];
    if (!final && this.whole.you) {
      const canPass = this.isMine && (legal.includes("pass") || suspended);
      if (counting || (suspended && this.isMine)) buttons.push(this.#button("agree", () => this.#do("pass"), "main"));
      else if (canPass) buttons.push(this.#button("pass", () => this.#do("pass")));
      if (this.isMine && legal.includes("swap")) buttons.push(this.#button("swap", () => this.#do("swap")));
      if (this.whole.open && this.news.some((item) => item.put && !item.refused)) buttons.push(this.#button("undo", () => this.#do("undo")));
      if (this.isMine && people === 1) buttons.push(this.#button("hint", () => this.#do("hint")));
      if (this.isMine && people === 1 && !this.whole.open && !this.whole.referee) {
        buttons.push(this.#toggle("hidden odds", Boolean(this.hidden), () => this.#imagine()));
      }
      if (!this.whole.open && !this.whole.referee) {
        const mark = this.#toggle("mark", Boolean(this.isMarking), () => { this.isMarking = !this.isMarking; this.#show(); });
        mark.title = say("mark how");
        buttons.push(mark);
      }
      buttons.push(this.#button("resign", () => this.#resign()));
    }
    if (this.canAnalyse) {
      buttons.push(this.#toggle("analysis", Boolean(this.isAnalysing), () => { this.isAnalysing = !this.isAnalysing; this.#show(); }));
    }
    buttons.push(this.#button("share", () => this.#share()));
    this.buttons.replaceChildren(...buttons);
    if (focused) this.buttons.querySelector(`[data-do="${focused}"]`)?.focus();
  }

  #turning() {
    const here = this.isLive ? this.news.length : this.at;
    const go = (to) => { this.at = to >= this.news.length ? null : Math.max(0, to); this.#show(); };
    this.go = go;
    const button = (key, sign, to, isOff) => h("button", {
      type: "button", class: "icon", "aria-label": say(key), title: say(key), disabled: isOff, "data-do": key, onclick: () => go(to),
    }, sign);
    const focused = document.activeElement?.dataset?.do;
    this.turning.replaceChildren(
      button("first", "«", 0, here === 0), button("back", "‹", this.#step(here, -1), here === 0),
      button("forward", "›", this.#step(here, 1), this.isLive), button("last", "»", this.news.length, this.isLive));
    if (focused) this.turning.querySelector(`[data-do="${focused}"]`)?.focus();
  }

  // One move on or back: a draw goes with the move before it.
  #step(here, way) {
    const isDraw = (index) => this.news[index]?.kind === "draw";
    let to = way < 0 ? here - 1 : here;
    while (isDraw(to) && (way > 0 || to > 0)) to += way;
    return way < 0 ? Math.max(0, to) : this.#after(to);
  }

  #moves() {
    const here = this.isLive ? this.news.length : this.at;
    let number = 0;
    const rows = this.news.map((item, index) => {
      if (item.kind === "draw") return null;
      if (!item.refused && item.kind !== "other") number++;
      const isHere = here > index && !this.news.slice(index + 1, here).some((later) => later.kind !== "draw");
      const cast = this.news[index - 1]?.kind === "draw" && this.news[index - 1].faces.length ? ` ⚄ ${this.news[index - 1].faces.join("+")}` : "";
      return h("li", {}, h("button", {
        type: "button", class: `move${item.refused ? " refused" : ""}`, "aria-current": isHere ? "step" : null,
        onclick: () => this.go(this.#after(index)),
      }, h("span", { class: "number" }, item.refused || item.kind === "other" ? "·" : `${number}.`),
      item.actor ? h("i", { class: `dot ${item.actor}`, "aria-label": nameOf(item.actor), role: "img" }) : null,
      h("span", {}, itemText(item, true)), h("span", { class: "quiet" }, cast)));
    }).filter(Boolean);
    const list = h("ol", { class: "moves" }, rows);
    const top = this.movesList.querySelector("ol")?.scrollTop ?? 0;
    this.movesList.hidden = !rows.length;
    this.movesList.replaceChildren(h("h2", {}, say("moves")), list);
    const current = list.querySelector("[aria-current]");
    if (this.isLive) list.scrollTop = list.scrollHeight;
    else {
      list.scrollTop = top;
      if (current && (current.offsetTop < list.scrollTop || current.offsetTop > list.scrollTop + list.clientHeight - 30)) {
        list.scrollTop = current.offsetTop - list.clientHeight / 2;
      }
    }
  }

  #after(index) {
    let to = Math.min(index + 1, this.news.length);
    while (to < this.news.length && this.news[to].kind === "draw") to++;
    return to;
  }

  #more() {
    const wasOpen = this.more.querySelector("details")?.open;
    const focused = document.activeElement?.id;
    const typed = this.more.querySelector("#point")?.value ?? "";
    const toggle = (key, otherwise) => h("label", { class: "check" },
      h("input", { type: "checkbox", id: `show-${key}`, checked: kept(key, otherwise), onchange: (event) => { keep(key, event.target.checked); this.#show(); } }),
      say(key));
    const spec = encodeURIComponent(this.whole.spec.replace(/,?lang=\w+/, ""));
    const isShown = this.whole.open || this.state.final || this.state.counting;
    const file = (form) => h("a", { href: `/api/games/${this.game}/record.${form}`, download: true }, form.toUpperCase());
    const play = (event) => {
      event.preventDefault();
      const input = event.target.elements.point;
      this.#do("play", { at: input.value.trim() });
      input.value = "";
    };
    this.more.replaceChildren(h("details", { open: wasOpen }, h("summary", {}, say("more")),
      h("p", { class: "links" }, h("a", { href: `/api/rules?lang=${language()}&spec=${spec}`, target: "_blank", rel: "noopener" }, say("rules")),
        isShown ? h("span", {}, named("record"), file("sgf"), " ", file("json")) : null),
      this.whole.you && !this.state.final ? h("form", { class: "row", onsubmit: play },
        h("label", { for: "point" }, say("play at")), h("input", { id: "point", name: "point", size: 5, value: typed, autocomplete: "off" }), h("button", {}, say("play"))) : null,
      h("div", { class: "checks" }, this.whole.open ? toggle("atari", true) : null, "losing" in this.state ? toggle("losing", true) : null,
        this.whole.open ? null : toggle("speak", this.whole.referee)),
      this.describe.lines && !this.state.final ? h("div", { class: "row" },
        h("button", { type: "button", id: "odds", title: say("odds how"), "aria-pressed": String(Boolean(this.odds)), onclick: () => this.#odds() }, say("odds")),
        this.whole.you ? this.#button("dice", () => this.#dice()) : null) : null,
      this.whole.commitment ? h("p", { class: "quiet small" }, named("commitment"), h("code", {}, this.whole.commitment)) : null,
      this.watching ? h("p", { class: "quiet" }, say("watching", { count: this.watching })) : null,
      h("details", { class: "words" }, h("summary", {}, say("read")), h("p", {}, this.#boardInWords()))));
    if (focused) document.getElementById(focused)?.focus();
  }

  #boardInWords() {
    const by = {};
    for (const [vertex, colour] of Object.entries(this.moment.stones)) (by[colour] ??= []).push(vertex);
    const parts = Object.entries(by).map(([colour, vertices]) => `${nameOf(colour)}: ${vertices.sort(inOrder).join(" ")}`);
    return parts.join(". ") || say("nothing");
  }

  // What stands on a point, for the keyboard and those who listen.
  #inWords(vertex) {
    const colour = this.moment.stones[vertex];
    if (colour) return `${vertex}, ${say("stone of", { name: nameOf(colour) })}`;
    const isOpen = this.isMine && this.describe.lines ? say(this.state.legal.includes(vertex) ? "is open" : "is not open") : "";
    return [vertex, say("empty"), isOpen].filter(Boolean).join(", ");
  }

  // -- the end of a hidden game ----------------------------------------------------------------------------------------

  #unveiled() {
    const { boards, heard } = this.whole;
    const isOver = Boolean(boards);
    this.others.hidden = !isOver;
    if (!isOver || this.others.dataset.for === this.whole.game) return;
    this.others.dataset.for = this.whole.game;
    const all = this.whole.news;
    const views = { "": { news: all, setup: this.whole.setup, name: say("referee") } };
    for (const colour of this.describe.players) views[colour] = { news: heard[colour], setup: {}, name: say("board of", { name: nameOf(colour) }) };
    const small = Object.entries(views).map(([colour, view]) => {
      const board = new Board(this.describe);
      board.draw({ stones: colour ? boards[colour] : this.moment.stones });
      board.element.setAttribute("role", "img");
      board.element.setAttribute("aria-label", view.name);
      return h("button", { type: "button", class: "small-board", "aria-pressed": String(this.news === view.news), onclick: () => {
        Object.assign(this, { news: view.news, setup: view.setup, at: null, viewed: colour });
        for (const other of this.others.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
        this.others.children[Object.keys(views).indexOf(colour)].setAttribute("aria-pressed", "true");
        this.#show();
      } }, h("span", {}, view.name), board.element);
    });
    this.others.replaceChildren(...small);
  }

  // -- what a person does ----------------------------------------------------------------------------------------------

  #do(what, more = {}) {
    const isAsking = ["hint", "hidden", "odds"].includes(what);
    if (this.sent && !isAsking) return;
    this.sent = !isAsking;
    this.note = null;
    if (isAsking) this.#notice("…");
    this.line.send({ do: what, ...(["play", "pass", "swap"].includes(what) && !this.state.counting ? { turn: this.state.turn } : {}), ...more });
    // A word that is lost must not block the next one.
    setTimeout(() => { this.sent = false; }, 1500);
  }

  #chosen(vertex, event) {
    if (this.isMarking) return this.#mark(vertex);
    const { counting, suspended, dead, final } = this.state;
    if (!final && this.whole.you && dead && this.moment.stones[vertex] && (counting || suspended)) return this.#do("dead", { at: vertex });
    if (!this.isLive) return this.go(this.news.length);
    if (!this.isMine) return null;
    const isTouch = event.pointerType === "touch";
    if (isTouch && this.board.step() < SMALL_PX && this.tapped !== vertex) {
      this.tapped = vertex;
      this.board.point(vertex);
      return this.#notice(say("tap again", { at: vertex }));
    }
    this.tapped = null;
    return this.#do("play", { at: vertex });
  }

  // Markers for stones that are only guessed. Source: "Astuce pour les joueurs".
  #mark(vertex) {
    if (this.whole.open || this.whole.referee || this.state.final || !this.whole.you) return false;
    if (this.guesses[vertex]) delete this.guesses[vertex];
    else if (!this.moment.stones[vertex]) this.guesses[vertex] = OTHER[this.whole.you];
    keep(`guesses:${this.seat}`, this.guesses);
    this.#show();
    return true;
  }

  #hinted({ at, moves, shares, owners, turn }) {
    if (turn !== this.state.turn) return;
    Object.assign(this, { owners, shares });
    this.hints = moves.length ? moves.filter(({ part }) => part >= 0.02) : [{ at, part: 1 }];
    const shown = { pass: say("pass"), resign: say("resign"), swap: say("swap") }[at] ?? at;
    this.#notice(say("hint is", { at: shown }));
    this.#show();
  }

  // Where the hidden stones may be, as far as this seat can know.
  #imagine() {
    if (this.hidden) {
      this.hidden = null;
      this.#show();
    } else {
      this.#do("hidden");
    }
  }

  #imagined({ odds, turn }) {
    if (turn !== this.state.turn) return;
    this.hidden = odds;
    this.note = null;
    this.#show();
  }

  #odds() {
    if (this.odds) {
      this.odds = null;
      this.#show();
    } else {
      this.#do("odds");
    }
  }

  #told(odds) {
    this.odds = odds;
    this.note = null;
    this.#show();
  }

  #resign() {
    const dialog = h("dialog", { "aria-label": say("resign") }, h("p", {}, say("resign sure")),
      h("div", { class: "row" },
        h("button", { type: "button", class: "danger", id: "resign-yes", onclick: () => { dialog.close(); this.#do("resign"); } }, say("yes")),
        h("button", { type: "button", onclick: () => dialog.close() }, say("no"))));
    this.#open_dialog(dialog);
  }

  #dice() {
    const input = h("input", { id: "new-dice", size: 6, value: "1d6" });
    const dialog = h("dialog", { "aria-label": say("dice") }, h("form", { method: "dialog", onsubmit: () => this.#do("dice", { dice: input.value.trim() }) },
      h("label", { for: "new-dice" }, say("dice which")), input,
      h("div", { class: "row" }, h("button", { class: "main" }, say("dice")), h("button", { type: "button", onclick: () => dialog.close() }, say("close")))));
    this.#open_dialog(dialog);
  }

  async #share(words = {}) {
    const { addresses } = await api("/api/about");
    this.base = addresses[0] ?? location.origin;
    this.invited = h("div", {});
    this.invitedKey = null;
    this.#invitations();
    const dialog = h("dialog", { class: "share", "aria-label": say("share") }, h("h2", {}, say("share")), h("p", {}, say("share how")),
      addresses.length || !isLocal() ? null : h("p", { class: "quiet" }, say("only here")),
      Object.keys(words).length ? recoveryNote(words) : null, this.invited,
      linkCard(say("watch link"), `${this.base}/${seatLink(this.game)}`),
      h("button", { type: "button", onclick: () => dialog.close() }, say("close")));
    this.#open_dialog(dialog);
  }

  // The invitations of who began this game: a link while nobody has taken the seat, after that only that it is taken.
  #invitations() {
    const { invitations = {}, creator } = games()[this.game] ?? {};
    const key = JSON.stringify([invitations, creator, Object.values(this.seats).map(({ claimed }) => claimed)]);
    if (!this.invited || this.state.final || key === this.invitedKey) return;
    this.invitedKey = key;
    const renew = async (colour) => {
      try {
        const { invitation } = await post(`/api/games/${this.game}/invitation`, { creator, colour });
        keepGame(this.game, { invitations: { ...games()[this.game].invitations, [colour]: invitation } });
        this.#invitations();
      } catch (problem) {
        this.#notice(problem.message, true);
      }
    };
    // Who came back by a recovery word has no code, but may make new ones.
    const colours = this.describe.players.filter((colour) => colour in invitations || (creator && !this.seats[colour].claimed));
    this.invited.replaceChildren(...colours.map((colour) => {
      const title = say("seat link", { name: nameOf(colour) });
      if (this.seats[colour].claimed) return h("p", { class: "link" }, h("strong", {}, title), ` ${say("seat taken")}`);
      const code = invitations[colour];
      const card = code ? linkCard(title, `${this.base}/#game=${this.game}&invite=${code}`) : h("section", { class: "link" }, h("h3", {}, title));
      card.append(h("button", { type: "button", class: "renew", onclick: () => renew(colour) }, say("renew")));
      return card;
    }));
  }

  #open_dialog(dialog) {
    dialog.addEventListener("close", () => dialog.remove());
    this.main.append(dialog);
    dialog.showModal();
  }

  #key(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || !this.go || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = this.isLive ? this.news.length : this.at;
    const to = { "[": this.#step(here, -1), "]": this.#step(here, 1), "{": 0, "}": this.news.length }[event.key];
    if (to !== undefined) this.go(to);
  }
}

function itemText(item, isShort = false) {
  if (item.kind === "draw") return item.faces.length ? say("throw", { name: nameOf(item.owner), faces: item.faces.join(" + ") }) : "";
  const place = item.at ?? (item.kind === "place" ? say("unknown") : "");
  const name = item.actor && item.kind === "place" ? place : item.text;
  const captured = item.captured.length ? `, ${say("captures", { count: item.captured.length })}` : "";
  const refused = isShort ? " ✗" : ` (${say("refused")})`;
  return `${name}${item.refused ? refused : ""}${captured}`;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function inOrder(a, b) {
  const [, ac, ar] = /([A-Z]+)(\d+)/.exec(a), [, bc, br] = /([A-Z]+)(\d+)/.exec(b);
  return ac.length - bc.length || ac.localeCompare(bc) || ar - br;
}
