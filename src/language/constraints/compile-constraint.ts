/** Compiles the constraint on an answer's tokens from the request's output format, tools and tool choice. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { continuedText, type GenerationRequest, offersTools } from '../../core/request/generation-request.js';
import { type AnswerFormats, answerSyntax } from '../families/answer-syntax.js';
import type { ValueStyle } from '../grammar/value-style.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { type AnswerFormat, type AnswerGrammar, answerGrammars } from './answer-grammar.js';
import { ForcedTokenizer } from './forced-tokenizer.js';
import { respaceJson } from './respace-json.js';
import type { CompiledConstraint, OpenLengths, TokenConstraint } from './token-constraint.js';
import { mayFollow, plainBeginnings } from './token-vocabulary.js';
import { grammarEngineFor, type GrammarPosition } from './xgrammar.js';

/** The model whose tokens are constrained. */
export interface ConstrainedModel extends AnswerFormats {
  tokenizer: TextTokenizer;
  /** The prompt ends inside a think block: the answer begins with reasoning. */
  reasoningOpen: boolean;
}

/**
 * The constraint of a request, with a state per choice (`n`); undefined where every token is allowed. Throws
 * InferenceError `invalid_request` for what a grammar cannot express, and `unavailable` or `internal` when the grammar
 * engine fails: an answer is never left unconstrained.
 */
export async function compileConstraint(
  request: GenerationRequest,
  model: ConstrainedModel,
): Promise<CompiledConstraint | undefined> {
  const { tokenizer } = model;
  const callable = offersTools(request);
  const demanded = request.toolChoice === 'required' || typeof request.toolChoice === 'object';
  if (request.output.type === 'text' && !callable && !demanded) {
    const tags = request.prompt.type === 'chat' ? answerSyntax(model).tools.openingTokens : [];
    const tokens = tags.flatMap((tag) => tokenizer.addedTokens.get(tag) ?? []);
    return tokens.length > 0 ? forbidTokens(tokens) : undefined;
  }
  const engine = await grammarEngineFor(tokenizer);
  const { markers, markerTokens } = engine.vocabulary;
  const format = { ...model, spacing: spacingOf(tokenizer), marker: (text: string) => markers.get(text) };
  const { masks, exact } = writtenGrammar(request, format, tokenizer);
  const positions = await engine.begin({ masks, exact, owner: request.caller }, request.n);
  const said = continuedText(request);
  const begun = request.output.type === 'text' ? said : respaceJson(said, format.spacing);
  if (begun !== '' && !positions.every((position) => position.acceptText(begun))) {
    for (const position of positions) position.dispose();
    const param = request.paramNames?.messages ?? 'messages';
    throw new InferenceError(
      'invalid_request',
      `\`${param}\` ends with text that cannot be the start of an answer in the requested format.`,
      { param },
    );
  }
  const forced = new ForcedTokenizer(tokenizer, markerTokens);
  const endMask = endTokenMask(tokenizer);
  return {
    start() {
      const position = positions.pop();
      if (position === undefined)
        throw new InferenceError('internal', 'More grammars were started than the request has choices.');
      return new GrammarConstraint(tokenizer, position, forced, endMask);
    },
    dispose() {
      for (const position of positions.splice(0)) position.dispose();
    },
  };
}

/** So many tokens are looked at, over all lengths of a string, while masks are prepared: some seconds on a slow machine. */
const COUNTED_TOKENS = 1_000_000;

/** Shorter strings are always counted by masks. */
const MIN_COUNTED = 8;

/** Grammars that are cached for the next turns of conversations: those of a few agents. */
const MAX_CACHED = 8;
const caches = new WeakMap<TextTokenizer, Map<string, AnswerGrammar>>();

/** An agent sends the same tools with every turn, so their grammar is written once, for each caller. */
function writtenGrammar(request: GenerationRequest, format: AnswerFormat, tokenizer: TextTokenizer): AnswerGrammar {
  const { tools, toolChoice, parallelToolCalls, output, reasoning, paramNames } = request;
  const { toolFormat, reasoningFormat, reasoningOpen, spacing } = format;
  const key = JSON.stringify([
    tools.map(({ name, parameters }) => [name, parameters]),
    [toolChoice, parallelToolCalls, output, reasoning.enabled, paramNames],
    [toolFormat, reasoningFormat, reasoningOpen, spacing],
    request.caller,
  ]);
  const cache = caches.get(tokenizer) ?? new Map<string, AnswerGrammar>();
  caches.set(tokenizer, cache);
  const most = Math.max(MIN_COUNTED, Math.floor(COUNTED_TOKENS / tokenizer.vocabularySize));
  const grammar = cache.get(key) ?? answerGrammars(request, format, most);
  cache.delete(key);
  cache.set(key, grammar);
  if (cache.size > MAX_CACHED) cache.delete([...cache.keys()][0]!);
  return grammar;
}

/** Models write JSON as their template showed it to them in training. */
function spacingOf({ chatTemplate }: TextTokenizer): ValueStyle['spacing'] {
  return chatTemplate !== undefined && /separators\s*=\s*\(\s*(['"]),\1\s*,\s*(['"]):\2\s*\)/.test(chatTemplate)
    ? 'compact'
    : 'spaced';
}

/** A constraint that forbids some tokens; it needs no grammar engine. */
function forbidTokens(tokens: readonly number[]): CompiledConstraint {
  const state: TokenConstraint = {
    maskLogits(logits) {
      for (const token of tokens) if (token < logits.length) logits[token] = -Infinity;
      return tokens.length > 0;
    },
    accept(token) {
      if (tokens.includes(token)) throw new InferenceError('internal', 'The model chose a forbidden token.');
    },
    forcedTokens: () => [],
    likelyTokens: () => [],
    isComplete: () => false,
    dispose: () => undefined,
  };
  return { start: () => state, dispose: () => undefined };
}

/** One choice's state. Masks are made at most once per state. */
class GrammarConstraint implements TokenConstraint {
  readonly #position: GrammarPosition;
  readonly #forced: ForcedTokenizer;
  readonly #endMask: Int32Array;
  readonly #tokenizer: TextTokenizer;
  readonly lengths: OpenLengths | undefined;
  #mask: Int32Array | undefined;
  #lastByte: number | undefined;

  constructor(tokenizer: TextTokenizer, position: GrammarPosition, forced: ForcedTokenizer, endMask: Int32Array) {
    this.#tokenizer = tokenizer;
    this.#position = position;
    this.#forced = forced;
    this.#endMask = endMask;
    this.lengths = position.isExact
      ? undefined
      : { allows: (token) => this.#allowsLength(token), maskLogits: (logits) => this.#maskLengths(logits) };
  }

  maskLogits(logits: Float32Array): boolean {
    const mask = this.#allowed();
    let restricted = false;
    for (let word = 0; word < mask.length; word += 1) {
      const bits = mask[word]!;
      if (bits === -1) continue;
      const first = word * 32;
      const end = Math.min(first + 32, logits.length);
      if (bits === 0) logits.fill(-Infinity, first, end);
      else
        for (let token = first; token < end; token += 1)
          if (((bits >>> (token - first)) & 1) === 0) logits[token] = -Infinity;
      restricted = true;
    }
    return restricted;
  }

  accept(token: number): void {
    this.#mask = undefined;
    if (!this.#position.accept(token))
      throw new InferenceError('internal', 'The model chose a token that its grammar does not allow.');
    this.#lastByte = this.#tokenizer.bytesOf(token).at(-1);
  }

  forcedTokens(): number[] {
    const text = this.#forcedText();
    if (text === '') return [];
    const tokens = this.#forced.tokensOf(text);
    return tokens.slice(0, this.#position.countAllowed(tokens));
  }

  likelyTokens(): number[] {
    const text = this.#forcedText();
    return text === '' ? [] : this.#forced.likelyTokensOf(text);
  }

  isComplete(): boolean {
    const mask = this.#allowed();
    let any = false;
    for (let word = 0; word < mask.length; word += 1) {
      const bits = mask[word]!;
      if ((bits & ~this.#endMask[word]!) !== 0) return false;
      if (bits !== 0) any = true;
    }
    return any;
  }

  dispose(): void {
    this.#position.dispose();
  }

  #allowsLength(token: number): boolean {
    return this.#tokenizer.endTokens.has(token) || this.#position.allows(token);
  }

  #maskLengths(logits: Float32Array): void {
    const room = this.#position.room();
    const beginnings = plainBeginnings(this.#tokenizer);
    for (let token = 0; token < logits.length; token += 1) {
      if (logits[token] === -Infinity) continue;
      const isTooLong = room !== undefined && beginnings[token]! > room;
      if (isTooLong || !this.#allowsLength(token)) logits[token] = -Infinity;
    }
  }

  #forcedText(): string {
    // The engine may stop in the middle of a character.
    return this.#position.forcedText().split('\uFFFD')[0] ?? '';
  }

  #allowed(): Int32Array {
    this.#mask ??= this.#onlyUtf8(this.#position.allowedTokens());
    return this.#mask;
  }

  /** Some first bytes of UTF-8 characters allow fewer second bytes than the grammar engine assumes. */
  #onlyUtf8(mask: Int32Array): Int32Array {
    const last = this.#lastByte;
    if (last !== 0xe0 && last !== 0xed && last !== 0xf0 && last !== 0xf4) return mask;
    for (let token = 0; token < this.#tokenizer.vocabularySize; token += 1) {
      const first = this.#tokenizer.bytesOf(token)[0];
      if (first !== undefined && !mayFollow(last, first)) mask[token >>> 5]! &= ~(1 << (token & 31));
    }
    return mask;
  }
}

/** The end tokens as a bit mask like those of GrammarPosition. */
function endTokenMask(tokenizer: TextTokenizer): Int32Array {
  const mask = new Int32Array(Math.ceil(tokenizer.vocabularySize / 32));
  for (const token of tokenizer.endTokens) mask[token >>> 5]! |= 1 << (token & 31);
  return mask;
}
