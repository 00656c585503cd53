/** Walks through a grammar without a model: every allowed token is as likely as any other, with a pull to the end. @module */
import type { TextTokenizer } from '../../../../src/language/prompt/text-tokenizer.js';
import type { TokenConstraint } from '../../../../src/language/constraints/token-constraint.js';

export interface Walk {
  /** Empty when the walk was given up. */
  text: string;
  tokens: number[];
  /** Tokens that jump-forward appended. */
  forced: number;
  /** False: the walk was given up after `limit` tokens. */
  complete: boolean;
}

export interface WalkOptions {
  random: () => number;
  limit?: number;
  /** Whether forced tokens are appended as they come. @default true */
  jump?: boolean;
  /** A token that is taken whenever it is allowed. */
  prefer?: number;
}

/** Takes random allowed tokens until the grammar is complete or an end token is drawn. */
export function randomWalk(tokenizer: TextTokenizer, constraint: TokenConstraint, options: WalkOptions): Walk {
  const { random, limit = 1500, jump = true, prefer } = options;
  const logits = new Float32Array(tokenizer.vocabularySize);
  const tokens: number[] = [];
  let forced = 0;
  const finish = (complete: boolean): Walk => ({
    text: complete ? textOf(tokenizer, tokens) : '',
    tokens,
    forced,
    complete,
  });
  while (tokens.length < limit) {
    if (constraint.isComplete()) return finish(true);
    for (const token of jump ? constraint.forcedTokens() : []) {
      constraint.accept(token);
      tokens.push(token);
      forced += 1;
    }
    if (constraint.isComplete()) return finish(true);
    logits.fill(0);
    constraint.maskLogits(logits);
    const token =
      prefer !== undefined && logits[prefer] === 0 ? prefer : draw(tokenizer, logits, random, tokens.length);
    if (tokenizer.endTokens.has(token)) return finish(true);
    constraint.accept(token);
    tokens.push(token);
  }
  return finish(false);
}

/** `"`, `]`, `}` and `)`. */
const CLOSING = [0x22, 0x5d, 0x7d, 0x29];

/** The tokens that end an answer or close something; kept, because every draw asks. */
const closingKept = new WeakMap<TextTokenizer, ReadonlySet<number>>();

function closingTokens(tokenizer: TextTokenizer): ReadonlySet<number> {
  let closing = closingKept.get(tokenizer);
  if (!closing) {
    const all = Array.from({ length: tokenizer.vocabularySize }, (_, token) => token);
    closing = new Set(
      all.filter(
        (token) => tokenizer.endTokens.has(token) || tokenizer.bytesOf(token).every((byte) => CLOSING.includes(byte)),
      ),
    );
    closingKept.set(tokenizer, closing);
  }
  return closing;
}

/** Most draws are uniform over tokens; some are over first bytes, so that closing quotes and brackets come up too. */
function draw(tokenizer: TextTokenizer, logits: Float32Array, random: () => number, length: number): number {
  const allowed: number[] = [];
  for (let token = 0; token < logits.length; token += 1) if (logits[token] === 0) allowed.push(token);
  if (allowed.length === 0) throw new Error('The grammar allows no token at all.');
  const pull = length > 60 ? 0.8 : 0.35;
  if (random() < pull) {
    const closes = closingTokens(tokenizer);
    const closing = allowed.filter((token) => closes.has(token));
    if (closing.length > 0) return closing[Math.floor(random() * closing.length)]!;
  }
  return allowed[Math.floor(random() * allowed.length)]!;
}

/** The text of tokens. */
function textOf(tokenizer: TextTokenizer, tokens: readonly number[]): string {
  const parts = tokens.map((token) => tokenizer.bytesOf(token));
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** Random numbers from a seed (mulberry32), the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
