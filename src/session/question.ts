import { cutStopWords, isStopWord } from "./stop-words.ts";
import { pairsOf, splitPieces } from "./tokens.ts";

/** Terms of one question at most; the first ones win. */
const MAX_TERMS = 24;

/** One thing to look for. */
export interface Term {
  /** an expression of the index's query language, always valid */
  match: string;
  /** how much a hit counts beside the rarity of the term, 0 to 1 */
  weight: number;
  /** words to mark in a snippet, lower case */
  words: string[];
}

export interface Question {
  /** any of them is a hit */
  terms: Term[];
  /** a message with one of them is none */
  excluded: Term[];
}

/**
 * Reads a question as typed. Stop words and punctuation fall out, the rest is ORed; `"…"` is a phrase, `word*` a prefix,
 * `NOT word` excludes, AND and OR are understood and change nothing. A question of stop words only looks for those.
 */
export function parseQuestion(text: string): Question {
  const all = tokenize(text.toWellFormed().normalize("NFC"));
  const excluded = all.filter((entry) => entry.excluded).flatMap((entry) => toTerms(entry, true));
  const wanted = all.filter((entry) => !entry.excluded);
  const terms = wanted.flatMap((entry) => toTerms(entry, false));
  const found = terms.length > 0 ? terms : wanted.flatMap((entry) => toTerms(entry, true));
  return { terms: unique(found).slice(0, MAX_TERMS), excluded: unique(excluded) };
}

interface Token {
  text: string;
  phrase: boolean;
  excluded: boolean;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let negated = false;
  for (const match of text.matchAll(/"([^"]*)"|[^\s"]+/g)) {
    const phrase = match[1] !== undefined;
    const token = match[1] ?? match[0];
    if (!phrase && /^(AND|OR|NOT)$/.test(token)) {
      negated = token === "NOT";
      continue;
    }
    tokens.push({ text: token, phrase, excluded: negated });
    negated = false;
  }
  return tokens;
}

function toTerms(token: Token, keepStopWords: boolean): Term[] {
  const pieces = splitPieces(token.text);
  if (token.phrase) return pieces.length === 0 ? [] : [phraseTerm(token.text, 1)];
  const words = pieces.filter((piece) => !piece.unspaced);
  const terms: Term[] = [];
  if (words.length > 1 && words.length === pieces.length) {
    // `chat-send`, `my-app.config.ts`: first of all the words beside each other
    if (isContraction(token.text)) return keepStopWords ? words.map((word) => wordTerm(word.text, false, 1)) : [];
    terms.push(phraseTerm(token.text, 1));
  }
  const wordWeight = terms.length > 0 ? 0.5 : 1;
  const isPrefix = token.text.endsWith("*");
  for (const [index, piece] of pieces.entries()) {
    if (piece.unspaced) terms.push(...unspacedTerms(piece.text, keepStopWords));
    else if (keepStopWords || !isStopWord(piece.text)) {
      terms.push(wordTerm(piece.text, isPrefix && index === pieces.length - 1, wordWeight));
    }
  }
  return terms;
}

/** `what's`, `didn't`: nothing but stop words around an apostrophe. */
function isContraction(text: string): boolean {
  return /['’]/.test(text) && splitPieces(text).every((piece) => isStopWord(piece.text));
}

function wordTerm(word: string, isPrefix: boolean, weight: number): Term {
  const words = [word.toLowerCase()];
  const endsInY = /[aeiou]y$/i.test(word);
  // the index's stemmer makes "deploi" of deploy but "deploy" of deployment
  if (isPrefix) return { match: `"${endsInY ? word.slice(0, -1) : word}"*`, weight, words };
  return { match: endsInY ? `("${word}" OR "${word}ment")` : `"${word}"`, weight, words };
}

function unspacedTerms(run: string, keepStopWords: boolean): Term[] {
  const parts = keepStopWords ? [run] : cutStopWords(run);
  return parts.flatMap((part) => {
    const pairs = pairsOf(part);
    if (pairs.length > 0) return pairs.map((pair) => ({ match: `"${pair}"`, weight: 1, words: [pair] }));
    // one character left between stop words is rarely a word; alone in the question it is what is asked for
    const weight = part === run ? 1 : 0.3;
    return [{ match: `"${part}"*`, weight, words: [part] }];
  });
}

function phraseTerm(text: string, weight: number): Term {
  const pieces = splitPieces(text);
  const tokens = pieces.flatMap((piece, index) => {
    if (!piece.unspaced) return [piece.text];
    const pairs = pairsOf(piece.text);
    const isLast = index === pieces.length - 1;
    const last = [...piece.text].at(-1) ?? "";
    if (pairs.length === 0) return [piece.text];
    // a run that goes on with other words ends with its last character in the index
    return isLast ? pairs : [...pairs, last];
  });
  const words = pieces.map((piece) => piece.text.toLowerCase());
  const lastPiece = pieces.at(-1);
  const single = lastPiece?.unspaced === true && [...lastPiece.text].length === 1;
  return { match: `"${tokens.join(" ")}"${single ? "*" : ""}`, weight: weight * Math.min(3, pieces.length), words };
}

function unique(terms: Term[]): Term[] {
  const byMatch = new Map<string, Term>();
  for (const term of terms) if (!byMatch.has(term.match)) byMatch.set(term.match, term);
  return [...byMatch.values()];
}
