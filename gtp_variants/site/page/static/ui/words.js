// What the page says: the words of one language, which come when they are wanted.

/** @typedef {{ name: string, meaning: string }} Option */

export const LANGUAGES = ["en", "fr"];

// `texts` by key, and what options of the rules mean where the server says it in English only.
/** @type {{ texts: Record<string, string>, meanings: Record<string, string | undefined> }} */
let book = { texts: {}, meanings: {} };
let lang = "en";

/** Speak a language from now on, English if there is no such one. @param {string} chosen */
export async function speakIn(chosen) {
  lang = LANGUAGES.includes(chosen) ? chosen : "en";
  book = await (await fetch(`/static/words/${lang}.json`)).json();
  if (globalThis.document) document.documentElement.lang = lang;
}

export const language = () => lang;

/**
 * A text with its places filled. Throws for a text or a part of it that is missing.
 * @param {string} key
 * @param {Record<string, unknown>} parts
 */
export function say(key, parts = {}) {
  const text = book.texts[key];
  if (text === undefined) throw new Error(`no words for ${key} in ${lang}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    if (parts[name] === undefined || parts[name] === null) throw new Error(`${key}: no ${name} was given`);
    return String(parts[name]);
  });
}

// Whether there is such a text.
export const has = (key) => key in book.texts;

// A colon after a word, before what it is about.
export const colon = () => lang === "fr" ? "\u00a0: " : ": ";

// A word before what it names.
export const named = (key) => `${say(key)}${colon()}`;

const NAMES = { b: "Black", w: "White", r: "Red" };
export const nameOf = (colour) => say(NAMES[colour]);

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Option} option */
export const meaningOf = (option) => book.meanings[option.name] ?? option.meaning;
