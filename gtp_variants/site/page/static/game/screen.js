// The screen of one game: messages from the server, the display, and the actions of the player.

import { Board } from "../board/board.js";
import { inAtari } from "../board/chains.js";
import { openPoints } from "../board/dice.js";
import { games, keep, keepGame, kept, seatLink } from "../data/kept.js";
import { about, api, Line, plain, shareDice } from "../data/net.js";
import { noteResult, opponentAt } from "../data/opponents.js";
import { h } from "../ui/dom.js";
import { isMoving, speak } from "../ui/parts.js";
import { afterPress } from "../ui/press.js";
import { RulesDrawer } from "../ui/rules_drawer.js";
import { sound } from "../ui/sound.js";
import { Tabs } from "../ui/tabs.js";
import { language, nameOf, say } from "../ui/words.js";
import { Candidates } from "./analysis/candidates.js";
import { Curve } from "./analysis/curve.js";
import { Help } from "./analysis/help.js";
import { About } from "./play/about.js";
import { Buttons } from "./play/buttons.js";
import { Chat } from "./play/chat.js";
import { Count, territory } from "./play/count.js";
import { More, settingOf } from "./play/more.js";
import { Plan } from "./play/plan.js";
import { Players, winnerOf } from "./play/players.js";
import { Share } from "./play/share.js";
import { Status } from "./play/status.js";
import { TurnCall } from "./play/turn_call.js";
import { MoveList, Steps } from "./review/moves.js";
import { Remarks } from "./review/remarks.js";
import { Study } from "./review/study.js";
import { Unveiled } from "./review/unveiled.js";
import { spokenText } from "./sentences.js";
import { Timeline } from "./timeline.js";

const WIDE = 1.4; // a board that is wider than high by this factor takes the left column's width
const SMALL_PX = 27; // a touch only chooses points that are closer than this
const ANSWER_MS = 1500; // longest wait for an answer that may be lost
const OTHER = { b: "w", w: "b", r: "w" };
const ASKING = ["hint", "hidden", "odds", "seem_dead"];
// More news items than this at once follow an interruption, so they are shown without animation.
const FEW = 4;

export default class GameScreen {
  /** @type {number | null} the number of news items shown; null for all */
  at = null;
  viewed = ""; // whose board a finished hidden game shows; "" for the referee's
  isMarking = false;
  isAnalysing = false;
  isMine = false;
  isSent = false;
  /** @type {{ at: string, colour: string, turn: number, count: number } | null} a stone played but not answered yet */
  pending = null;
  /** @type {any} */
  state = null;
  /** @type {any} */
  whole = null;
  /** @type {any} */
  describe = null;
  /** @type {Record<string, any>} */
  seats = {};
  /** @type {any[]} messages that arrive before the board exists, or while another is taken in */
  waiting = [];
  isHearing = false;
  played = new Timeline({}); // the game itself
  timeline = this.played; // the timeline shown: the game, the news of a seat, or a variation
  watching = 0;
  /** @type {string[]} */
  watchers = [];
  /** @type {string[]} the colours that want a rematch */
  again = [];
  next = "";
  call = new TurnCall();
  isKept = true;
  isSilent = false;
  since = 0;
  tapped = "";
  asked = ""; // the last point played, until it is answered

  /** @param {import("../main.js").Page} page @param {boolean} isListed whether this browser lists the game */
  constructor({ main, asked, tellAloud, fail }, isListed = true) {
    this.main = main;
    this.tellAloud = tellAloud;
    this.fail = fail;
    this.isListed = isListed;
    this.game = asked.get("game");
    // The colour to play, if a person has several. Games of older versions have tokens: in a link, or in this browser.
    this.as = asked.get("as");
    this.token = asked.get("seat") ?? games()[this.game]?.seats?.[this.as] ?? null;
    // The number of news items and the variation shown first, as in a link.
    this.first = { moment: asked.has("at") ? Number(asked.get("at")) : Infinity, line: asked.get("line") };
    this.guesses = kept(`guesses:${this.game}`, {});
    this.#connect();
    this.keys = (event) => this.#key(event);
    addEventListener("keydown", this.keys);
  }

  #connect() {
    const hear = (act) => afterPress(() => {
      if (this.line === line && !line.isEnded) act();
    });
    const { game, as, token } = this, name = kept("name", "");
    const greet = () => ({ join: game, as, seat: token, lang: language(), ...(name ? { name } : {}) });
    const line = new Line("/api/socket", greet, (message) => hear(() => this.#hear(message)), (isUp, isGone) => hear(() => this.#noteLine(isUp, isGone)));
    this.line = line;
  }

  end() {
    this.line.end();
    this.players?.end();
    removeEventListener("keydown", this.keys);
  }

  // -- messages from the server -------------------------------------------------------------------------------------

  async #hear(message) {
    if (message.type === "game") shareDice(this.line, message);
    this.waiting.push(message);
    if (this.isHearing) return;
    this.isHearing = true;
    try {
      for (let next; (next = this.waiting.shift());) {
        if (next.type === "game") await this.#begin(next);
        else this.#take(next);
      }
    } finally {
      this.isHearing = false;
    }
  }

  #take(message) {
    const { type } = message;
    if (type === "news") this.#news(message);
    else if (type === "who") this.#meet(message);
    else if (message.re === "nonce") return; // another tab was quicker
    else if (type === "error") this.#refuse(message);
    else if (type === "again") this.#playAgain(message);
    else ({ chat: this.chat, branch: this.study }[type] ?? this.help)?.hear(message);
  }

  async #begin(message) {
    const isFirst = this.whole?.spec !== message.spec;
    const describe = isFirst ? await api(about("describe", plain(message.spec), "&brief")).catch(this.fail) : this.describe;
    if (!describe) return;
    Object.assign(this, { describe, whole: message });
    if (isFirst) this.#build(message);
    // Analyses are valid until moves change.
    if (JSON.stringify(message.news) !== JSON.stringify(this.played.news)) this.help.analyses = {};
    // What was planned before moves were taken back is not meant any more.
    if (message.news.length < this.played.length) this.plan.at = "";
    this.played = new Timeline(message.setup, message.news);
    this.timeline = this.played;
    this.study.line = null;
    const { moment, line } = this.first;
    this.first = { moment: Infinity, line: null };
    this.at = moment < message.news.length ? Math.max(0, moment) : null;
    this.viewed = "";
    this.help.forget();
    this.#stand(message, []);
    this.#again();
    this.#keep(message.state.final, message.you || message.referee);
    this.#follow();
    if (line !== null && this.study.isOn) this.study.open(line, moment === Infinity ? 0 : moment);
    if (isFirst) this.share.welcome();
    this.curve.resume();
  }

  #news(message) {
    this.played.push(message.news);
    if (message.news.length) this.help.forget();
    const wish = this.state.wish;
    this.#stand(message, message.news);
    this.#sound(message);
    for (const item of message.news) this.#announce(item);
    this.#tellDeclined(wish, message.state);
    if (message.state.final) this.#noteEnd();
    this.#follow();
  }

  #sound({ news, state }) {
    if (state.final) sound("end");
    else if (news.some((item) => item.captured?.length)) sound("take");
    else if (news.some((item) => item.refused)) sound("refuse");
    else if (news.some((item) => item.kind === "place" && item.actor !== this.whole.you)) sound("stone");
    if (news.some((item) => item.kind === "draw" && item.faces.length)) sound("dice");
  }

  // A rematch has begun: take its players to it.
  #playAgain({ game }) {
    this.next = seatLink(game);
    if (this.whole.you) location.hash = this.next;
    else this.status.show();
  }

  #keep(isOver, isSeated) {
    if (this.isListed) keepGame(this.game, { title: this.whole.title, isOver, ...(isSeated ? { link: seatLink(this.game) } : {}) });
  }

  // Keep that the game is over, and what it shows of the player's strength.
  #noteEnd() {
    this.#keep(true, false);
    const { mine, describe } = this, winner = winnerOf(this.state);
    const levels = Object.values(this.seats).map((seat) => opponentAt(describe.name, seat)?.level).filter(Boolean);
    if (mine.length === 1 && levels.length === 1 && winner) noteResult(describe.name, levels[0], winner === mine[0]);
  }

  // Tell a player that a proposal was refused.
  #tellDeclined(before, state) {
    const { you } = this.whole;
    if (!state.declined || !before || !you) return;
    const isMine = before.agreed.includes(you) && state.declined.by !== you;
    this.status.notice(say(isMine ? "declined" : "declined by you", { name: nameOf(state.declined.by) }), isMine);
  }

  #announce(item) {
    const words = spokenText(item);
    if (words) this.tellAloud(words);
    if (this.setting("speak") && item.said?.length) speak(words, language());
  }

  #stand(message, news) {
    this.#who(message);
    this.state = message.state;
    // A referee acts for the side to move.
    if (this.whole.referee) this.whole.you = this.state.asked ?? this.describe.players[0];
    this.since = performance.now();
    this.#markSent(false);
    this.asked = this.tapped = "";
    if (news.length || this.pending?.turn !== this.state.turn) this.pending = null;
    const isThrown = news.some((item) => item.kind === "draw" && item.faces.length), planned = this.plan.take();
    if (planned) this.at = null;
    this.show(news.length > 0 && news.length < FEW, isThrown);
    this.call.show(this.whole.title, this.isMine && !this.state.final && !planned, news.length > 0);
    if (planned) this.#play(planned);
    this.help.askDead();
  }

  #who({ seats, watching, watchers = [], again = [], kept: isKept, lost }) {
    Object.assign(this, { seats, watching, watchers, again, isKept, isSilent: lost });
  }

  #meet(message) {
    this.#who(message);
    if (!this.state) return;
    for (const part of this.parts) part.show();
  }

  #refuse(message) {
    this.#markSent(false);
    const at = this.asked;
    this.pending = null;
    this.asked = "";
    if (!this.state) return;
    this.study.then = null;
    this.curve.hear(message);
    sound("refuse");
    this.status.notice(message.error, true);
    this.show();
    if (at) this.board.explain(at, message.error);
  }

  // A person who plays several sides takes the side to move.
  #follow() {
    const { asked } = this.state;
    if (!asked || asked === this.whole.you || !this.mine.includes(asked)) return;
    Object.assign(this, { as: asked, token: null });
    this.line.end();
    this.#connect();
  }

  #noteLine(isUp, isGone) {
    if (!isUp && this.lost && !isGone) return;
    this.lost?.remove();
    this.lost = isUp ? null : h("p", { class: "banner error", role: "alert" }, say(isGone ? "gone" : "lost"), " ", isGone ? h("a", { href: "#" }, say("home")) : null);
    if (this.lost && this.whole) this.main.prepend(this.lost);
    else if (this.lost) this.main.replaceChildren(h("h1", { class: "unseen" }, say("game")), this.lost);
  }

  // -- the parts of the screen --------------------------------------------------------------------------------------

  #build(message) {
    this.players?.end();
    this.board = new Board(this.describe, {
      choose: (vertex, event) => this.#choose(vertex, event),
      mark: (vertex) => this.#mark(vertex),
      tell: (vertex) => vertex && this.tellAloud(this.#inWords(vertex)),
      over: (vertex) => this.candidates.point(vertex),
    });
    this.board.element.setAttribute("aria-label", `${say("board")}. ${say("keys")}`);
    this.study = new Study(this);
    this.plan = new Plan(this);
    this.buttons = new Buttons(this);
    this.status = new Status(this);
    this.help = new Help(this);
    this.players = new Players(this);
    this.count = new Count(this);
    this.about = new About(this);
    this.remarks = new Remarks(this);
    this.chat = new Chat(this);
    this.curve = new Curve(this);
    this.candidates = new Candidates(this);
    this.rules = new RulesDrawer();
    this.steps = new Steps(this);
    this.list = new MoveList(this);
    this.more = new More(this);
    this.share = new Share(this);
    this.unveiled = new Unveiled(this);
    this.tabs = new Tabs(say("tabs"), [
      { key: "moves", name: say("moves"), panel: h("div", {}, this.list.element, this.study.element) },
      { key: "chat", name: this.chat.name, panel: this.chat.element },
      { key: "more", name: say("more"), panel: this.more.element },
    ]);
    this.tabs.element.append(this.steps.element);
    /** @type {{ show(): void }[]} */
    this.parts = [this.plan, this.remarks, this.candidates, this.players, this.status, this.help, this.curve, this.buttons, this.steps, this.list, this.about,
      this.more, this.unveiled, this.study, this.count, this.chat, this.share];
    const { status, board } = this;
    const screen = h("div", { class: `screen${board.ratio > WIDE ? " wideboard" : ""}` },
      h("div", { class: "table" }, this.players.above, h("div", { class: "frame" }, board.element), this.players.below, this.unveiled.element),
      h("div", { class: "side" }, status.slot, this.buttons.element, h("section", { class: "card insight" }, this.help.rates, this.candidates.element, this.remarks.element, this.curve.element),
        this.tabs.element, status.banner), this.about.element);
    screen.style.setProperty("--ratio", String(board.ratio));
    this.main.replaceChildren(h("h1", { class: "unseen" }, message.title), screen);
  }

  /** Return the value of a setting in this browser. @param {string} key */
  setting(key) {
    return settingOf(key, this.whole.referee);
  }

  /** The colours played at this screen. */
  get mine() {
    const { you, open, mine } = this.whole;
    return open && mine.length ? mine : you ? [you] : [];
  }

  get isLive() {
    return !this.study?.line && (this.at === null || this.at >= this.timeline.length);
  }

  /** The number of news items shown. */
  get here() {
    return this.isLive ? this.timeline.length : Math.min(this.at ?? this.timeline.length, this.timeline.length);
  }

  // True if the game is no longer being played here, so that variations and analyses are allowed.
  get isOver() {
    const isElsewhere = Object.values(this.seats).every(({ kind }) => kind === "elsewhere");
    return this.state.final || (this.whole.open && isElsewhere);
  }

  // True if moments may be analysed; in a hidden game, only the odds of hidden stones.
  get canAnalyse() {
    return this.isOver && (this.whole.open || Boolean(this.viewed));
  }

  /** Change and show the view. @param {Record<string, any>} change */
  set(change) {
    Object.assign(this, change);
    this.show();
  }

  /** Show the game after `count` news items. @param {number} count */
  go(count) {
    const isEnd = count >= this.timeline.length && !this.study.line;
    this.set({ at: isEnd ? null : Math.min(Math.max(0, count), this.timeline.length) });
  }

  /** @param {boolean} animate whether changes are animated @param {boolean} isThrown whether dice have just fallen */
  show(animate = false, isThrown = false) {
    const { state, whole } = this;
    this.moment = this.timeline.moment(this.here);
    this.isMine = this.isLive && Boolean(whole.you) && state.asked === whole.you;
    this.seen = this.help.ofMoment();
    this.isThrown = isThrown;
    for (const part of this.parts) part.show();
    this.isThrown = false;
    this.board.draw({ ...this.#onBoard(this.seen), animate: animate && isMoving() });
    this.board.element.classList.toggle("fine", this.isFine && this.isTaking);
  }

  // Redraw the board alone: pointing changes nothing else.
  redrawBoard() {
    if (this.seen) this.board.draw({ ...this.#onBoard(this.seen), animate: false });
  }

  #onBoard(seen) {
    const { state, whole, moment, isLive } = this, isShown = whole.open || whole.referee || state.final;
    return {
      stones: moment.stones,
      last: moment.last,
      pending: isLive ? this.pending : null,
      planned: this.plan.at && isLive ? { at: this.plan.at, colour: whole.you } : null,
      legal: this.isMine ? state.legal.filter((word) => this.describe.points[word]) : this.#free(),
      ghost: this.isMine ? state.asked : this.study.isOn ? this.study.mover : this.plan.isOn ? whole.you : null,
      marking: this.isMarking,
      ...this.#open(),
      tried: moment.tried,
      marked: isLive ? [...(state.immune ?? []), ...(state.line ?? [])] : [],
      losing: isLive && this.setting("losing") ? state.losing ?? [] : [],
      dead: isLive ? state.dead ?? [] : [],
      proposed: isLive ? (this.help.seemDead ?? []).flat() : [],
      atari: this.setting("atari") && whole.open && !state.final ? inAtari(moment.stones, this.describe.edges, state.immune ?? []) : [],
      guesses: isShown ? {} : this.guesses,
      hints: seen.moves ?? [],
      owners: seen.owners && Object.keys(seen.owners).length ? seen.owners : isLive ? territory(state.count) : {},
      hidden: seen.odds ?? {},
      hiddenColour: OTHER[this.viewed || whole.you],
      numbers: this.help.numbers(),
      ...this.remarks.onBoard(),
      ...this.unveiled.onBoard(),
      ...this.candidates.onBoard(),
    };
  }

  // True if the board takes a stone now: one that is played, tried in a variation, or planned.
  get isTaking() {
    return this.isMine || this.study.isOn || this.plan.isOn;
  }

  // Return the points where a variation may continue or a stone may be planned, as far as the page can tell.
  #free() {
    if (this.plan.isOn) return this.#empty();
    if (!this.study.isOn || this.study.mover === null || (this.isLive && !this.study.line && this.state.over)) return [];
    const { open } = this.#open();
    return open.length ? open : this.#empty();
  }

  #empty() {
    return Object.keys(this.describe.points).filter((vertex) => !this.moment.stones[vertex]);
  }

  #open() {
    return openPoints(this.describe.lines, this.isLive ? this.state.draw : this.moment.draw?.draw, this.moment.stones);
  }

  // Announce the contents of a point to keyboard and screen reader users.
  #inWords(vertex) {
    const colour = this.moment.stones[vertex];
    if (colour) return `${vertex}, ${say("stone of", { name: nameOf(colour) })}`;
    const isOpen = this.isMine && this.describe.lines ? say(this.state.legal.includes(vertex) ? "is open" : "is not open") : "";
    return [vertex, say("empty"), isOpen, vertex === this.plan.at ? say("is planned") : ""].filter(Boolean).join(", ");
  }

  // -- player actions -----------------------------------------------------------------------------------------------

  /** Send a request to the server. @param {string} what @param {Record<string, any>} more */
  do(what, more = {}) {
    const isAsking = ASKING.includes(what);
    if (this.isSent && !isAsking) return;
    const isTurn = ["play", "pass", "swap"].includes(what) && !this.state.counting;
    this.status.forget();
    if (!this.line.send({ do: what, ...(isTurn ? { turn: this.state.turn } : {}), ...more })) {
      if (what !== "seem_dead") this.status.notice(say("not sent"), true);
      return;
    }
    if (isAsking) this.status.notice("…");
    else this.#markSent(true);
    clearTimeout(this.answering);
    this.answering = setTimeout(() => { this.isSent = false; }, ANSWER_MS);
  }

  // Until the answer arrives, the screen may not show the state of the game.
  #markSent(isSent) {
    this.isSent = isSent;
    if (this.status) this.status.element.ariaBusy = String(isSent);
  }

  // Show the stone at once, before the server's answer.
  #play(vertex) {
    if (this.isSent) return;
    this.asked = vertex;
    const { asked, turn, legal } = this.state;
    if (legal.includes(vertex)) {
      this.pending = { at: vertex, colour: asked, turn, count: this.timeline.length };
      this.board.draw({ ...this.board.shown, pending: this.pending, animate: false });
      sound("stone");
    }
    if (this.line.isUp) this.do("play", { at: vertex });
    else this.status.notice(say(this.pending ? "sent later" : "not sent"), true);
  }

  // Send a stone that was played while offline, if nothing has happened since.
  #again() {
    const { pending, timeline, state, whole } = this;
    if (!pending) return;
    if (pending.count === timeline.length && state.asked === pending.colour && whole.you === pending.colour) this.do("play", { at: pending.at });
    else this.set({ pending: null });
  }

  #choose(vertex, event) {
    const { counting, suspended, dead, final } = this.state;
    if (this.isMarking) this.#mark(vertex);
    else if (!final && this.whole.you && dead && this.moment.stones[vertex] && (counting || suspended)) this.do("dead", { at: vertex });
    else if (!this.isLive && !this.study.isOn) this.go(this.timeline.length);
    else if (this.isTaking) this.#tap(vertex, event);
  }

  #tap(vertex, event) {
    const isSmall = event.pointerType === "touch" && this.isFine;
    // An illegal point needs no confirmation to show the reason.
    const isFree = this.study.isOn || (this.isMine ? this.state.legal : this.#empty()).includes(vertex);
    const isAsked = (isSmall || this.setting("confirm")) && isFree && ![this.tapped, this.plan.at].includes(vertex);
    this.propose(isAsked ? vertex : "");
    if (isAsked) return;
    if (this.isMine) this.#play(vertex);
    else if (this.study.isOn) this.study.play(vertex);
    else this.plan.choose(vertex);
  }

  /** True if points are too small for a finger. */
  get isFine() {
    return this.board.step() < SMALL_PX;
  }

  /** Choose a point that the player then confirms, or "" for none. @param {string} vertex */
  propose(vertex) {
    this.tapped = vertex;
    this.board.point(vertex || null);
    this.buttons.show();
    if (vertex) this.tellAloud(say("play point", { at: vertex }));
  }

  /** Play the point that is chosen. */
  confirm() {
    this.#tap(this.tapped, {});
  }

  // Toggle the marker of a guessed stone. Source: "Astuce pour les joueurs".
  #mark(vertex) {
    const { whole, state } = this;
    if (whole.open || whole.referee || state.final || !whole.you) return false;
    if (this.guesses[vertex]) delete this.guesses[vertex];
    else if (!this.moment.stones[vertex]) this.guesses[vertex] = OTHER[whole.you];
    keep(`guesses:${this.game}`, this.guesses);
    this.show();
    return true;
  }

  #key(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || !this.state || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = /** @type {const} */ ({ "[": "back", "]": "forward", "{": "first", "}": "last" })[event.key];
    const key = { p: "pass", u: "undo", h: "hint", a: "analysis" }[event.key];
    if (step) this.steps.take(step);
    else if (event.key === "?") this.more.showKeys();
    else if (event.key === "Escape" && !document.querySelector(":modal")) this.plan.choose(this.plan.at);
    else if (key) this.buttons.pressIfThere(key);
  }
}
