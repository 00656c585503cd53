/**
 * The second level of the prefix cache: keys and values of long prompts on the device's disk. A block is stored only if
 * processing the prompt again would produce the same bits. Requests take priority over writes.
 * @module
 */
import { InferenceError } from '../../core/errors/inference-error.js';
import { pause, yieldToEventLoop } from '../../core/platform/pause.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import { sha256 } from '../../store/storage/digest.js';
import type { BlockName } from '../../store/prompts/block-name.js';
import type { PromptBlockStore } from '../../store/prompts/prompt-block-store.js';

/** Tokens of a block. */
export const BLOCK_TOKENS = 64;

/** Raised when keys and values are computed or laid out otherwise, so that older ones match nothing. */
const VERSION = 2;

/** Blocks of a prompt that is long enough: 512 tokens. */
const MIN_BLOCKS = 8;

/** Milliseconds in which stored blocks must be there; else the prompt is processed. */
const READ_TIMEOUT_MS = 5_000;

/** Milliseconds that a prompt's writing waits for requests in all, and of one wait. */
const [MAX_REST_MS, REST_MS] = [3_000, 20];

/** Prompts that wait to be written: each holds its keys and values in memory. */
const MAX_WAITING = 4;

/** Blocks of prompts that were read once, remembered by the beginning of their hash. */
const MAX_SEEN = 2_048;
const SEEN_DIGITS = 16;
const SEEN = 'seen';

/** Where blocks are kept: {@link PromptBlockStore}, or a test's. */
export type BlockStore = Pick<PromptBlockStore, 'has' | 'read' | 'write' | 'readNote' | 'writeNote'>;

/** The beginning of a prompt, from the disk. */
export interface StoredPrefix {
  tokens: readonly number[];
  /** Of all the tokens, {@link BLOCK_TOKENS} each. */
  blocks: readonly Uint8Array[];
}

/** What was read of a prompt. */
export interface ReadPrefix {
  /** Its first tokens whose keys and values can be kept. */
  usable: number;
  /** See `GenerationRequest`. */
  caller: string | undefined;
  /** What changes the weights that it was read with, beside the identity; absent: nothing. */
  adapter?: string | undefined;
  /** Keys and values must stay until {@link release}. */
  hold(): void;
  release(): void;
  /** The bytes of a block. */
  block(index: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** Who read a prompt, and with what. */
type Reader = Pick<ReadPrefix, 'caller' | 'adapter'>;

export interface PersistentPromptCacheOptions {
  disk: BlockStore;
  /** Weights, precision, device and engine: everything beside the tokens that decides keys and values. */
  identity: string;
  /** Bytes of a block. */
  blockBytes: () => number;
  /**
   * Bytes that some blocks have beside it: a state without which the prompt cannot be continued behind them. Absent: it can
   * behind all.
   */
  stateBytes?: number | undefined;
  /**
   * Tokens that a pass reads of a prompt, a multiple of {@link BLOCK_TOKENS}. Only what whole passes computed counts: the last
   * bits may depend on how many tokens a pass reads.
   */
  passLength: number;
  /** Least tokens at the end of a prompt that are always read, at least 1: with fewer the last pass would be another one. */
  rest: number;
  /** Requests are being worked on. */
  isBusy(): boolean;
}

/** What stands before the first block of all prompts of a model. @param identity see {@link PersistentPromptCacheOptions} */
export function hashRoot(identity: string): Promise<string> {
  return sha256(new TextEncoder().encode(`${VERSION} ${identity}`));
}

/** What a caller is told that requires a prompt to be kept. @param least tokens of a prompt that can be kept */
export function notCached(least: number): InferenceError {
  return new InferenceError(
    'insufficient_resources',
    `The prompt could not be cached. Possible reasons: it has fewer than ${least} tokens, it contains images, the model cannot continue from part of a prompt, or there is not enough storage.`,
  );
}

export class PersistentPromptCache {
  readonly #options: PersistentPromptCacheOptions;
  readonly #closed = new AbortController();
  #seen: Promise<Set<string>> | undefined;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PersistentPromptCacheOptions) {
    this.#options = options;
  }

  /**
   * The cached beginning of a prompt; undefined when there is none, or none that comes in
   * time.
   * @param known tokens of the prompt whose keys and values are in memory: only more than these is of use
   * @param caller whose prompts are looked for, beside those of the app; see `GenerationRequest`
   * @param adapter as in {@link ReadPrefix}
   */
  async take(
    prompt: readonly number[],
    known: number,
    caller?: string,
    adapter?: string,
  ): Promise<StoredPrefix | undefined> {
    const own = (): Promise<StoredPrefix | undefined> => this.#take(prompt, known, { caller, adapter });
    const ofApp = (): Promise<StoredPrefix | undefined> => this.#take(prompt, known, { caller: undefined, adapter });
    const taking = caller === undefined ? own() : ofApp().then((found) => found ?? own());
    return settledWithin(taking, READ_TIMEOUT_MS).catch(() => undefined);
  }

  async #take(prompt: readonly number[], known: number, reader: Reader): Promise<StoredPrefix | undefined> {
    const { disk, rest, blockBytes, stateBytes } = this.#options;
    const most = this.#wholeBlocks(prompt.length - rest);
    const first = Math.floor(known / BLOCK_TOKENS);
    if (first >= most) return undefined;
    const names = await this.#names(prompt, most, reader);
    if (!(await disk.has(names[first]!))) return undefined;
    const size = blockBytes();
    const blocks: Uint8Array[] = [];
    for (const name of names) {
      const block = await disk.read(name);
      if (block?.length !== size && block?.length !== size + (stateBytes ?? 0)) break;
      blocks.push(block);
    }
    blocks.length = this.#wholeBlocks(blocks.length * BLOCK_TOKENS);
    if (stateBytes !== undefined) blocks.length = blocks.findLastIndex((block) => block.length > size) + 1;
    const length = blocks.length * BLOCK_TOKENS;
    return length > known ? { tokens: prompt.slice(0, length), blocks } : undefined;
  }

  /**
   * Stores the blocks of a prompt that are worth keeping, after the running requests.
   * @param read its keys and values; they are held until they are written
   * @returns whether they are on the disk now; never rejects
   */
  async store(prompt: readonly number[], read: ReadPrefix, mark: GenerationRequest['cachePrompt']): Promise<boolean> {
    const isRequired = mark === 'required';
    const usable = this.#wholeBlocks(read.usable);
    const isLong = prompt.length >= MIN_BLOCKS * BLOCK_TOKENS;
    if (this.#closed.signal.aborted || (!isLong && !isRequired) || (this.#waiting >= MAX_WAITING && !isRequired))
      return false;
    read.hold();
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      const names = await this.#names(prompt, Math.floor(prompt.length / BLOCK_TOKENS), read);
      const before = await this.#see(names);
      const worth = mark ? usable : Math.min(before, usable);
      if (worth === 0 || (!isRequired && worth < MIN_BLOCKS)) return false;
      const rest = this.#resting(isRequired);
      return this.#options.disk.write(
        names.slice(0, worth).map((name, index) => ({
          ...name,
          bytes: async () => {
            await rest();
            return read.block(index);
          },
        })),
        this.#closed.signal,
      );
    });
    this.#last = turn
      .catch(() => {})
      .then(() => {
        this.#waiting -= 1;
        read.release();
      });
    return turn.catch(() => false);
  }

  /** Blocks of so many tokens that whole passes read. */
  #wholeBlocks(tokens: number): number {
    const { passLength } = this.#options;
    return (Math.floor(tokens / passLength) * passLength) / BLOCK_TOKENS;
  }

  /** Nothing more is written. */
  dispose(): void {
    this.#closed.abort();
  }

  /** Notes the blocks of a prompt. @returns how many of them, from the first on, an earlier prompt had too */
  async #see(names: readonly BlockName[]): Promise<number> {
    const { disk } = this.#options;
    this.#seen ??= disk.readNote(SEEN).then(
      (text) => new Set(text?.split(' ')),
      () => new Set<string>(),
    );
    const seen = await this.#seen;
    const digits = names.map(({ key }) => key.slice(0, SEEN_DIGITS));
    const firstNew = digits.findIndex((each) => !seen.has(each));
    for (const each of digits) {
      seen.delete(each);
      seen.add(each);
    }
    for (const each of seen) {
      if (seen.size <= MAX_SEEN) break;
      seen.delete(each);
    }
    if (firstNew !== -1) await disk.writeNote(SEEN, [...seen].join(' '));
    return firstNew === -1 ? names.length : firstNew;
  }

  /** To be called before each block: lets requests go first, up to a time. */
  #resting(isRequired: boolean): () => Promise<void> {
    let left = isRequired ? 0 : MAX_REST_MS;
    return async () => {
      for (; left > 0 && this.#options.isBusy() && !this.#closed.signal.aborted; left -= REST_MS) await pause(REST_MS);
      await yieldToEventLoop();
    };
  }

  /** The names of a prompt's first blocks: the hash of each is of its tokens and of the hash before it. */
  async #names(prompt: readonly number[], count: number, { caller, adapter }: Reader): Promise<BlockName[]> {
    const { identity } = this.#options;
    const weights = adapter === undefined ? identity : `${identity} with ${adapter}`;
    let parent = await hashRoot(caller === undefined ? weights : `${weights} for ${caller}`);
    const names: BlockName[] = [];
    for (let index = 0; index < count; index++) {
      const tokens = prompt.slice(index * BLOCK_TOKENS, (index + 1) * BLOCK_TOKENS);
      const key = await sha256(new TextEncoder().encode(`${parent} ${tokens.join(' ')}`));
      names.push({ key, parent });
      parent = key;
    }
    return names;
  }
}
