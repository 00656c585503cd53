/** Indexes the files of stores one after the other, in the background. @module */
import { isInferenceError } from '../../core/errors/inference-error.js';
import { availableLocks } from '../../core/platform/web-locks.js';
import { pause } from '../../core/platform/pause.js';
import { hold } from '../../core/platform/hold-lock.js';
import { type Chunk, chunkText } from './chunk-text.js';
import type { Embedding } from './embedding.js';
import { encodeIndex } from './file-index.js';
import type { Files } from './files.js';
import type { Library } from './library.js';
import { checksum, type IndexFacts, type MemberRecord, nameOf, read, readAll } from './records.js';
import { noteInBatch, placeOf } from './removal.js';

/** Only one engine of the origin indexes at a time. */
const INDEXING = 'inpage:files:indexing';

/** Texts that are embedded at once: a question that comes meanwhile does not wait for more. */
const AT_ONCE = 32;

/** See the module. */
export class Indexer {
  readonly #library: Library;
  readonly #files: Files;
  readonly #embedding: Embedding;
  readonly #stopped = new AbortController();
  /** Names of members that are to be indexed, in order. */
  readonly #waiting = new Set<string>();
  #running: Promise<void> | undefined;
  /** Resolved when a member is no longer waiting or being indexed. */
  readonly #done = new Map<string, { promise: Promise<void>; resolve: () => void }>();

  constructor(library: Library, files: Files, embedding: Embedding) {
    this.#library = library;
    this.#files = files;
    this.#embedding = embedding;
  }

  /** Goes on with what an end has cut. */
  async resume(): Promise<void> {
    const members = await this.#library.update((transaction) => readAll(transaction, 'members'));
    const begun = members.filter(([name, { status }]) => status === 'in_progress' && !this.#waiting.has(name));
    this.add(begun.map(([name]) => name));
  }

  add(members: readonly string[]): void {
    for (const name of members) {
      this.#waiting.add(name);
      if (!this.#done.has(name)) this.#done.set(name, withResolve());
    }
    if (members.length === 0 || this.#running) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#waiting.size > 0 && !this.#stopped.signal.aborted) this.add([...this.#waiting]);
    });
  }

  /** Indexes members anew that were indexed before; resolves when they are. */
  async renew(members: readonly string[]): Promise<void> {
    if (members.length === 0) return;
    await this.#library.update(async (transaction) => {
      for (const name of members) {
        const member = await read(transaction, 'members', name);
        if (member?.status !== 'completed') continue;
        const anew = { ...member, status: 'in_progress' as const, hasBegun: false, job: this.#library.createId('') };
        const beside = member.index?.bytes ?? 0;
        await this.#library.ledger.put(transaction, ['members', name], anew, { beside, isNote: true });
      }
    });
    this.add(members);
    await Promise.all(members.map(async (name) => this.#done.get(name)?.promise));
  }

  stop(): void {
    this.#stopped.abort();
    for (const { resolve } of this.#done.values()) resolve();
  }

  async #run(): Promise<void> {
    const locks = this.#library.place.isLasting ? availableLocks() : undefined;
    const release = await (locks && hold(locks, INDEXING, {}));
    try {
      for (const name of this.#waiting) {
        if (this.#stopped.signal.aborted) return;
        this.#waiting.delete(name);
        await this.#index(name).catch((thrown: unknown) =>
          console.error('inpage: a file could not be indexed.', thrown),
        );
        if (this.#waiting.has(name)) continue;
        this.#done.get(name)?.resolve();
        this.#done.delete(name);
      }
    } finally {
      release?.();
    }
  }

  async #index(name: string): Promise<void> {
    const begun = await this.#begin(name);
    if (!begun) return;
    const { job } = begun;
    await this.#library.writing(async () => {
      const made = await this.#make(name, begun).catch((thrown: unknown): Failure => {
        if (this.#stopped.signal.aborted) throw thrown;
        const isFull = isInferenceError(thrown) && thrown.code === 'storage_full';
        const message = isFull ? 'There is no room left for the index.' : 'The file could not be indexed.';
        return {
          error: { code: 'server_error', message: isInferenceError(thrown) && !isFull ? thrown.message : message },
        };
      });
      if (!made) return;
      try {
        await this.#end(name, job, made);
      } catch (thrown) {
        if ('facts' in made) await this.#library.place.remove(made.facts.name);
        const message = 'There is no room left for the index.';
        if (!isInferenceError(thrown) || thrown.code !== 'storage_full') throw thrown;
        await this.#end(name, job, { error: { code: 'server_error', message } });
      }
    });
  }

  /** Undefined: it was removed or canceled, or another engine has indexed it. */
  #begin(name: string): Promise<MemberRecord | undefined> {
    return this.#library.update(async (transaction) => {
      const member = await read(transaction, 'members', name);
      if (member?.status !== 'in_progress') return undefined;
      const begun = { ...member, hasBegun: true };
      const beside = member.index?.bytes ?? 0;
      await this.#library.ledger.put(transaction, ['members', name], begun, { beside, isNote: true });
      return begun;
    });
  }

  /** Undefined: the file is gone, and so is its member. */
  async #make(name: string, { id, chunking }: MemberRecord): Promise<Made | Failure | undefined> {
    const { signal } = this.#stopped;
    const text = await this.#files.textOf(nameOf(placeOf(placeOf(name)), id));
    if (text === undefined) return undefined;
    if (typeof text !== 'string') return { error: { code: text.code, message: text.message } };
    const reading = await this.#embedding.reading(signal);
    const chunks = chunking ?? this.#embedding.usual(reading);
    const cut = await chunkText(text, chunks, reading.readable, reading.count);
    // What only separates words has no vector.
    for (const chunk of cut) chunk.parts = chunk.parts.filter(({ start, end }) => /\S/.test(text.slice(start, end)));
    const { vectors, model } = await this.#embedAll(text, cut, signal);
    const bytes = encodeIndex(text, cut, vectors);
    const facts: IndexFacts = {
      name: `${this.#library.createId('')}.index`,
      bytes: bytes.length,
      checksum: checksum(bytes),
      model,
      text: text.length,
    };
    await this.#library.place.write(facts.name, bytes);
    return { facts, chunks };
  }

  async #embedAll(
    text: string,
    chunks: readonly Chunk[],
    signal: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; model: string }> {
    const vectors: Float32Array[] = [];
    let { model } = this.#embedding;
    if (!this.#embedding.isThere) return { vectors, model };
    const parts = chunks.flatMap((chunk) => chunk.parts.map(({ start, end }) => text.slice(start, end)));
    for (let from = 0; from < parts.length; from += AT_ONCE) {
      const embedded = await this.#embedding.embed(parts.slice(from, from + AT_ONCE), 'document', signal);
      ({ model } = embedded);
      vectors.push(...embedded.vectors);
      await pause(1, signal);
    }
    return { vectors, model };
  }

  async #end(name: string, job: string, made: Made | Failure): Promise<void> {
    const { ledger } = this.#library;
    await this.#library.update(async (transaction, unused) => {
      const member = await read(transaction, 'members', name);
      const isCurrent = member?.status === 'in_progress' && member.job === job;
      if (!isCurrent) return void ('facts' in made && unused.push(made.facts.name));
      const { index: before, ...rest } = member;
      if (before) unused.push(before.name);
      const status = 'facts' in made ? ('completed' as const) : ('failed' as const);
      const ended = {
        ...rest,
        status,
        hasBegun: false,
        ...('facts' in made ? { error: null, index: made.facts, chunks: made.chunks } : { error: made.error }),
      };
      const beside = 'facts' in made ? made.facts.bytes : 0;
      await ledger.put(transaction, ['members', name], ended, { beside, isNote: beside === 0 });
      if (member.batch !== undefined)
        await noteInBatch(transaction, ledger, { batch: nameOf(placeOf(name), member.batch), file: member.id, status });
    });
  }
}

interface Made {
  facts: IndexFacts;
  chunks: MemberRecord['chunks'];
}

interface Failure {
  error: NonNullable<MemberRecord['error']>;
}

function withResolve(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
