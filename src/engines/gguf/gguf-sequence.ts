/** One generation on a GGUF decoder. @module */
import type { Speculation, TextSequence } from '../../language/decoding/text-engine.js';
import type { AdapterSet } from './adapter-products.js';
import type { KvSequence } from './kv-pages.js';
import type { TokenLogits } from '../../language/sampling/token-logits.js';
import type { TokenChoice } from './forward-interface.js';
import type { CachedPrefix } from './page-cache.js';
import type { PassQueue } from './pass-queue.js';

export interface GgufSequenceOptions {
  prompt: readonly number[];
  /** A cached beginning of the prompt, or nothing; belongs to the sequence from now on. */
  kv: KvSequence;
  adapters: AdapterSet | undefined;
  passes: PassQueue;
  /** How the tokens of each row are chosen, where that is known and passes can do it; absent: by whoever reads logits. */
  choices?: readonly TokenChoice[] | undefined;
  /** Called at the end; what was read then belongs to the engine. */
  onClose(ended: Pick<CachedPrefix, 'tokens' | 'kv'>): Promise<void>;
}

export class GgufSequence implements TextSequence {
  readonly cachedTokens: number;
  readonly #options: GgufSequenceOptions;
  /** The tokens that `#kv` reads, those included that are not read yet. */
  readonly #tokens: number[];
  /** Read the prompt. After a fork it does not grow and goes to the prefix cache. */
  readonly #kv: KvSequence;
  #rows: KvSequence[];
  #leave: (() => void) | undefined;
  #closed = false;

  readonly speculation: Speculation = {
    isWorthwhile: () => !this.#options.passes.isShared,
    canRollBack: () => true,
    score: (tokens, count) => {
      this.#kv.keepState();
      return this.#read(tokens, count);
    },
    rollBack: (count) => {
      this.#options.passes.settle(this.#kv);
      this.#tokens.length -= count;
      // A recurrent state goes back further: what is missing is read again with the next tokens.
      this.#kv.truncate(this.#tokens.length);
    },
  };

  constructor(options: GgufSequenceOptions) {
    const { prompt, kv } = options;
    this.cachedTokens = kv.length;
    this.#options = options;
    this.#tokens = [...prompt];
    this.#kv = kv;
    this.#rows = [kv];
  }

  /** Tokens of all its rows. */
  get heldTokens(): number {
    return this.#rows.reduce((sum, { length }) => sum + length, 0);
  }

  async prefill(signal: AbortSignal): Promise<TokenLogits> {
    const { prompt, passes, adapters, choices } = this.#options;
    const tokens = prompt.slice(this.cachedTokens);
    this.#kv.expectPrompt(prompt.length);
    // Several rows draw from the same logits.
    const choose = choices?.length === 1 ? choices : undefined;
    const [logits] = await passes.read({ kv: this.#kv, tokens, keep: 1, choose, adapters, isPrompt: true, signal });
    this.#leave = passes.join();
    return logits!;
  }

  async fork(rows: number): Promise<void> {
    if (rows > 1) this.#rows = Array.from({ length: rows }, () => this.#kv.fork());
  }

  async decode(tokens: readonly (readonly number[])[]): Promise<TokenLogits[]> {
    if (this.#rows[0] === this.#kv) return this.#read(tokens[0]!, 1);
    const { passes, adapters, choices } = this.#options;
    const read = this.#rows.map((kv, row) => {
      const choose = choices && [choices[row]!];
      return passes.read({ kv, tokens: tokens[row]!, keep: 1, choose, adapters });
    });
    return (await Promise.all(read)).map(([logits]) => logits!);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave?.();
    for (const kv of this.#rows) this.#options.passes.settle(kv);
    for (const kv of this.#rows) if (kv !== this.#kv) kv.release();
    await this.#options.onClose({ tokens: this.#tokens.slice(0, this.#kv.length), kv: this.#kv });
  }

  /** Reads tokens behind the prompt, in the only row. */
  async #read(tokens: readonly number[], keep: number): Promise<TokenLogits[]> {
    this.#tokens.push(...tokens);
    const { passes, adapters, choices } = this.#options;
    const choose = choices && Array.from({ length: keep }, () => choices[0]!);
    // A recurrent state may have gone back further; a step that was read ahead is in the keys and values already.
    const missing = this.#tokens.slice(Math.min(this.#kv.length, this.#tokens.length - tokens.length));
    return passes.read({ kv: this.#kv, tokens: missing, keep, choose, adapters });
  }
}
