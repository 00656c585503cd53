/** Compiles grammars for one tokenizer with web-xgrammar. @module */
import type { CompiledGrammar, GrammarCompiler, GrammarMatcher } from '@mlc-ai/web-xgrammar';
import { InferenceError } from '../../core/errors/inference-error.js';
import type { TextTokenizer } from '../prompt/text-tokenizer.js';
import { type XgrammarModule, dropXgrammar, loadXgrammar } from './load-xgrammar.js';
import { type TokenVocabulary, readVocabulary } from './token-vocabulary.js';

/** Letters that are tried to find out how many may follow. */
const TRIED = 'a'.repeat(64);

/** Compiled grammars that are cached for the next request. */
const MAX_CACHED = 32;

/** A vector of 32-bit words inside the engine. */
interface WordVector {
  $$: { ptr: number };
  size(): number;
  get(index: number): number;
  delete(): void;
}

/** A grammar as the engine reads it. */
interface GrammarTexts {
  masks: string;
  /** The same with all bounds, where `masks` leaves some open. */
  exact?: string | undefined;
  /** Who may tell from the time that it was compiled before; see `caller` of `GenerationRequest`. */
  owner?: string | undefined;
}

/** The position of one generation in a grammar. All calls throw InferenceError when the engine fails. */
export interface GrammarPosition {
  /** One bit per token, least significant first; 1: allowed. */
  allowedTokens(): Int32Array;
  /** False: the grammar does not allow this token. */
  accept(token: number): boolean;
  /** The same for text, whatever its tokens are. */
  acceptText(text: string): boolean;
  /** Masks and {@link accept} know all bounds; else {@link allows} knows more. */
  readonly isExact: boolean;
  /** Whether the token may come next by all bounds. Does not change the position. */
  allows(token: number): boolean;
  /**
   * Inside a string whose length masks leave open: how many letters may follow, where they are less than some dozens; else
   * undefined.
   */
  room(): number | undefined;
  /** How many of the tokens, one after another, the grammar allows. Does not change the position. */
  countAllowed(tokens: readonly number[]): number;
  /** The text that must come next; empty when there is a choice. */
  forcedText(): string;
  dispose(): void;
}

const engines = new WeakMap<TextTokenizer, { module: XgrammarModule; engine: Promise<GrammarEngine> }>();

/** The engine for a tokenizer; made once, and again after an abort. Throws InferenceError `unavailable`. */
export async function grammarEngineFor(tokenizer: TextTokenizer): Promise<GrammarEngine> {
  const module = await loadXgrammar();
  const known = engines.get(tokenizer);
  if (known?.module === module) return known.engine;
  const engine = GrammarEngine.create(module, tokenizer);
  engines.set(tokenizer, { module, engine });
  engine.catch(() => engines.delete(tokenizer));
  return engine;
}

/** Compiles grammars for one vocabulary and keeps the last ones. */
export class GrammarEngine {
  readonly vocabulary: TokenVocabulary;
  readonly #module: XgrammarModule;
  readonly #compiler: GrammarCompiler;
  readonly #size: number;
  readonly #endTokens: ReadonlySet<number>;
  /** Compiles for no vocabulary: checks text, makes no masks, and is ready at once. */
  #checking: Promise<GrammarCompiler> | undefined;
  /** In order of use, the latest last. */
  readonly #cache = new Map<string, CompiledGrammar>();
  #memory: WebAssembly.Memory | undefined;
  #memoryTried = false;

  private constructor(
    module: XgrammarModule,
    vocabulary: TokenVocabulary,
    compiler: GrammarCompiler,
    { vocabularySize, endTokens }: TextTokenizer,
  ) {
    this.#module = module;
    this.vocabulary = vocabulary;
    this.#compiler = compiler;
    this.#size = vocabularySize;
    this.#endTokens = endTokens;
  }

  static async create(module: XgrammarModule, tokenizer: TextTokenizer): Promise<GrammarEngine> {
    const vocabulary = readVocabulary(tokenizer);
    const size = tokenizer.vocabularySize;
    return guarded(module, async () => {
      // Bytes go in as they are, also those that are no whole character; the declared type knows only text.
      const texts = vocabulary.bytes as unknown as string[];
      const info = await module.api.TokenizerInfo.createTokenizerInfo(texts, 'raw', false, size, [
        ...tokenizer.endTokens,
      ]);
      const compiler = await module.api.GrammarCompiler.createGrammarCompiler(info, false);
      info.dispose();
      return new GrammarEngine(module, vocabulary, compiler, tokenizer);
    });
  }

  /** `count` positions at the beginning of a grammar. Throws InferenceError `internal` when the engine refuses it. */
  async begin({ masks, exact, owner = '' }: GrammarTexts, count: number): Promise<GrammarPosition[]> {
    const grammar = await this.#compile(masks, owner, this.#compiler);
    const whole = exact === undefined ? undefined : await this.#compile(exact, owner, await this.#checkingCompiler());
    const { GrammarMatcher: matchers } = this.#module.api;
    return guarded(this.#module, async () => {
      const positions: GrammarPosition[] = [];
      for (let index = 0; index < count; index += 1) {
        const checker = whole && (await matchers.createGrammarMatcher(whole, undefined, true));
        positions.push(this.#position(await matchers.createGrammarMatcher(grammar), checker));
      }
      return positions;
    });
  }

  #checkingCompiler(): Promise<GrammarCompiler> {
    this.#checking ??= guarded(this.#module, async () => {
      const { TokenizerInfo, GrammarCompiler: compilers } = this.#module.api;
      const info = await TokenizerInfo.createTokenizerInfo(['a', ''], 'raw', false, 2, [1]);
      const compiler = await compilers.createGrammarCompiler(info, false);
      info.dispose();
      return compiler;
    });
    return this.#checking;
  }

  async #compile(ebnf: string, owner: string, compiler: GrammarCompiler): Promise<CompiledGrammar> {
    const key = `${owner}\0${ebnf}`;
    const cached = this.#cache.get(key);
    const grammar = cached ?? (await guarded(this.#module, () => compiler.compileGrammar(ebnf)));
    this.#cache.delete(key);
    this.#cache.set(key, grammar);
    for (const [oldest, unused] of this.#cache) {
      if (this.#cache.size <= MAX_CACHED) break;
      this.#cache.delete(oldest);
      unused.dispose();
    }
    return grammar;
  }

  /** @param checker of the exact grammar, which reads bytes instead of tokens */
  #position(matcher: GrammarMatcher, checker: GrammarMatcher | undefined): GrammarPosition {
    const module = this.#module;
    const check = (token: number): boolean => !checker || takes(checker, this.vocabulary.bytes[token]!);
    // The public method for masks is asynchronous for no other reason than loading.
    const { handle } = matcher as unknown as { handle: { GetNextTokenBitmask(size: number): WordVector } };
    let disposed = false;
    return {
      allowedTokens: () => guardedSync(module, () => this.#readWords(handle.GetNextTokenBitmask(this.#size))),
      acceptText: (text) => guardedSync(module, () => takes(matcher, text) && (!checker || takes(checker, text))),
      isExact: checker === undefined,
      accept: (token) =>
        guardedSync(module, () => matcher.acceptToken(token) && (this.#endTokens.has(token) || check(token))),
      allows: (token) =>
        guardedSync(module, () => {
          const allowed = check(token);
          if (allowed) checker?.rollBack(1);
          return allowed;
        }),
      room: () =>
        guardedSync(module, () => {
          const counted = checker ? lettersAfter(checker) : TRIED.length;
          return counted < TRIED.length && lettersAfter(matcher) > counted ? counted : undefined;
        }),
      countAllowed: (tokens) =>
        guardedSync(module, () => {
          let allowed = 0;
          while (allowed < tokens.length && matcher.acceptToken(tokens[allowed]!)) allowed += 1;
          if (allowed > 0) matcher.rollBack(allowed);
          return allowed;
        }),
      forcedText: () => guardedSync(module, () => matcher.findJumpForwardString()),
      dispose: () => {
        if (!disposed) {
          matcher.dispose();
          checker?.dispose();
        }
        disposed = true;
      },
    };
  }

  #readWords(vector: WordVector): Int32Array {
    try {
      const size = vector.size();
      if (!this.#memoryTried) {
        this.#memoryTried = true;
        this.#memory = this.#module.memories.find((memory) => holds(memory, vector, size));
      }
      const view = this.#memory && viewOf(this.#memory, vector);
      return view?.length === size ? view.slice() : Int32Array.from({ length: size }, (_, index) => vector.get(index));
    } finally {
      vector.delete();
    }
  }
}

/** Whether text may come next, also a part of a character; if so, it is read. */
function takes(matcher: GrammarMatcher, text: string | Uint8Array): boolean {
  const { handle } = matcher as unknown as {
    handle: { AcceptString(text: string | Uint8Array, log: boolean): boolean };
  };
  return handle.AcceptString(text, false);
}

/** How many of the letters the matcher takes. */
function lettersAfter(matcher: GrammarMatcher): number {
  let count = 0;
  while (count < TRIED.length && takes(matcher, TRIED[count]!)) count += 1;
  if (count > 0) matcher.rollBack(count);
  return count;
}

/** A C++ vector starts with the addresses of its first element and of the one after its last. */
function viewOf(memory: WebAssembly.Memory, vector: WordVector): Int32Array | undefined {
  const header = vector.$$.ptr;
  if (header <= 0 || header % 4 !== 0 || header + 8 > memory.buffer.byteLength) return undefined;
  const [begin = 0, end = 0] = new Uint32Array(memory.buffer, header, 2);
  const fits = begin > 0 && begin % 4 === 0 && end >= begin && end % 4 === 0 && end <= memory.buffer.byteLength;
  return fits ? new Int32Array(memory.buffer, begin, (end - begin) / 4) : undefined;
}

function holds(memory: WebAssembly.Memory, vector: WordVector, size: number): boolean {
  const view = viewOf(memory, vector);
  return view?.length === size && view.every((word, index) => word === vector.get(index));
}

async function guarded<T>(module: XgrammarModule, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw failed(module, cause);
  }
}

function guardedSync<T>(module: XgrammarModule, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw failed(module, cause);
  }
}

function failed(module: XgrammarModule, cause: unknown): InferenceError {
  dropXgrammar(module);
  return new InferenceError('internal', 'The grammar engine failed.', {}, { cause });
}
