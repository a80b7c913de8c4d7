// A lesson, which teaches a game in ten moves against a script.

import { Board } from "../board/board.js";
import { openPoints, shownDice } from "../board/dice.js";
import { about, api } from "../data/net.js";
import { openText, spokenText } from "../game/sentences.js";
import { Timeline } from "../game/timeline.js";
import { filled, h } from "../ui/dom.js";
import { isMoving } from "../ui/parts.js";
import { sound } from "../ui/sound.js";
import { capital, named, nameOf, say, wordOf } from "../ui/words.js";

export default class LessonScreen {
  number = 0;
  isEnded = false;

  /** @param {import("../main.js").Page} page */
  constructor({ main, asked, tellAloud, fail }) {
    this.main = main;
    this.name = asked.get("lesson");
    this.tellAloud = tellAloud;
    this.#open().catch(fail);
  }

  end() {
    this.isEnded = true;
  }

  async #open() {
    this.lesson = await api(about("lesson", this.name));
    this.describe = await api(about("describe", this.lesson.spec, "&brief"));
    if (this.isEnded) return;
    this.board = new Board(this.describe, {
      choose: (vertex) => this.#play(vertex), tell: (vertex) => vertex && this.tellAloud(vertex),
    });
    this.board.element.setAttribute("aria-label", `${say("board")}. ${say("keys")}`);
    document.title = `${named("lesson")}${this.lesson.title} · gtp-variants`;
    this.page = filled("lesson");
    this.page.title.textContent = `${named("lesson")}${this.lesson.title}`;
    this.page.frame.append(this.board.element);
    this.page.root.style.setProperty("--ratio", String(this.board.ratio));
    this.main.replaceChildren(this.page.root);
    this.#start();
  }

  get step() {
    return this.lesson.steps[this.number];
  }

  #show() {
    const { step, lesson, page } = this, moment = this.timeline.moment(this.timeline.length), draw = step?.draw;
    this.board.draw({
      stones: moment.stones, last: moment.last, tried: moment.tried, legal: step ? step.legal.filter((word) => this.describe.points[word]) : [],
      ghost: lesson.you, losing: step?.losing ?? [], marked: step?.immune ?? [], animate: isMoving(), labels: step && step.play !== "pass" ? { [step.play]: "?" } : {},
      ...openPoints(this.describe.lines, draw, moment.stones),
    });
    page.count.textContent = say("lesson step", { number: Math.min(this.number + 1, lesson.steps.length), count: lesson.steps.length });
    page.text.replaceChildren(h("p", { class: "big" }, h("i", { class: `dot ${lesson.you}`, "aria-hidden": "true" }), step ? say("you play", { name: nameOf(lesson.you) }) : say("lesson over")),
      h("p", {}, step ? step.text : [lesson.end && `${capital(lesson.end)}.`, say("lesson end")].filter(Boolean).join(" ")));
    page.throwing.hidden = !draw || !moment.draw;
    if (!page.throwing.hidden) page.throwing.replaceChildren(shownDice(moment.draw.faces, Number(draw.dice.split("d")[1])), h("p", {}, openText(draw)));
    page.saying.hidden = !moment.said.length;
    page.saying.replaceChildren(h("span", { class: "quiet" }, say("announced")), ...moment.said.map((text) => h("p", {}, text)));
    page.buttons.replaceChildren(...this.#choices());
  }

  #choices() {
    const button = (key, act, kind = "") => h("button", { type: "button", class: kind, "data-do": key, onclick: act }, say(key));
    if (this.step) return [...(this.step.legal.includes("pass") ? [button("pass", () => this.#play("pass"))] : []), button("show me", () => this.#take())];
    return [button("play it", () => { location.hash = `new=${this.name}`; }, "main"), button("once more", () => this.#start())];
  }

  #start() {
    this.number = 0;
    this.timeline = new Timeline(this.lesson.setup, this.lesson.news);
    this.#show();
  }

  #play(vertex) {
    const { step } = this;
    if (vertex === step?.play) this.#take();
    else if (step) {
      const words = say(step.legal.includes(vertex) ? "lesson other" : "lesson not here", { at: wordOf(step.play) });
      sound("refuse");
      this.tellAloud(words);
      this.board.explain(vertex, words);
    }
  }

  #take() {
    const { news } = this.step;
    sound(news.some((item) => item.captured?.length) ? "take" : "stone");
    this.timeline.push(news);
    for (const item of news) this.tellAloud(spokenText(item));
    this.number++;
    this.#show();
  }
}
