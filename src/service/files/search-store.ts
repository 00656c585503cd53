/** Finds the chunks of a store that fit a query best. @module */
import type { Inference } from '../scheduler/inference.js';
import type { Embedding } from './embedding.js';
import { decodeIndex, type FileIndex } from './file-index.js';
import type { Files } from './files.js';
import { isWhole } from './files.js';
import { type Filter, passes } from './filters.js';
import type { Indexer } from './indexer.js';
import type { Library } from './library.js';
import { rankChunks, type RankedQuery, type ScoredChunk, type Weights } from './rank-chunks.js';
import { type Attributes, type MemberRecord, nameOf, read, readAll } from './records.js';
import { placeOf } from './removal.js';
import type { VectorStores } from './vector-stores.js';

/** What is looked for, and how. */
export interface Search {
  /** Names of stores are a caller's own. With each: where the body names it. */
  stores: readonly { id: string; param: string }[];
  queries: readonly string[];
  filter: Filter | undefined;
  limit: number;
  threshold: number;
  weights: Weights;
  /** Id of the model that judges what was found; undefined: none. */
  ranker: string | undefined;
}

export interface FoundChunk {
  fileId: string;
  filename: string;
  score: number;
  attributes: Attributes;
  text: string;
}

/** So many of the best are judged again. */
const MAX_JUDGED = 50;

/** Bytes of indexes and texts that stay in memory. */
const MAX_CACHED = 128 * 2 ** 20;

/** See the module. */
export class StoreSearch {
  readonly #library: Library;
  readonly #files: Files;
  readonly #stores: VectorStores;
  readonly #indexer: Indexer;
  readonly #embedding: Embedding;
  readonly #inference: Inference;
  /** By the names of their bytes, which never change; the least recently used first. */
  readonly #indexes = new Map<string, { index: FileIndex; bytes: number }>();
  #cached = 0;

  constructor(parts: {
    library: Library;
    files: Files;
    stores: VectorStores;
    indexer: Indexer;
    embedding: Embedding;
    inference: Inference;
  }) {
    this.#library = parts.library;
    this.#files = parts.files;
    this.#stores = parts.stores;
    this.#indexer = parts.indexer;
    this.#embedding = parts.embedding;
    this.#inference = parts.inference;
  }

  /** @throws InferenceError `not_found`, `invalid_request` about a store, and what the models throw */
  async find(caller: string, search: Search, signal: AbortSignal): Promise<FoundChunk[]> {
    await this.#touch(caller, search);
    const wantsVectors = search.weights.vectors > 0 && this.#embedding.isThere;
    const embedded = wantsVectors ? await this.#embedding.embed(search.queries, 'query', signal) : undefined;
    const files = await this.#usable(caller, search, embedded?.model);
    const wanted = files.map(({ member }) => !search.filter || passes(member.attributes, search.filter));
    const queries: RankedQuery[] = search.queries.map((text, index) => ({ text, vector: embedded?.vectors[index] }));
    const { weights, ranker, threshold } = search;
    const best = rankChunks(
      files.map(({ index }) => index),
      (file) => wanted[file]!,
      ranker === undefined
        ? { queries, weights, threshold, limit: search.limit }
        : { queries, weights, threshold: 0, limit: MAX_JUDGED },
    );
    const found = await this.#describe(best, files);
    return ranker === undefined ? found : this.#judge(found, { ...search, ranker }, signal);
  }

  async #touch(caller: string, { stores }: Search): Promise<void> {
    const owner = this.#library.ownerOf(caller);
    await this.#library.update(async (transaction) => {
      for (const { id, param } of stores) await this.#stores.touch(transaction, nameOf(owner, id), param);
    });
  }

  /** The files that can be searched, with their indexes. What is damaged, or of another model, is indexed anew before. */
  async #usable(caller: string, search: Search, model: string | undefined): Promise<SearchedFile[]> {
    const first = await this.#open(caller, search, model);
    if (first.stale.length === 0) return first.files;
    await this.#indexer.renew(first.stale);
    return (await this.#open(caller, search, model)).files;
  }

  async #open(
    caller: string,
    { stores }: Search,
    model: string | undefined,
  ): Promise<{ files: SearchedFile[]; stale: string[] }> {
    const owner = this.#library.ownerOf(caller);
    const members = await this.#library.update(async (transaction) => {
      const all: [string, MemberRecord][] = [];
      for (const { id } of stores) all.push(...(await readAll(transaction, 'members', `${nameOf(owner, id)}\n`)));
      return all.filter(([, { status }]) => status === 'completed');
    });
    const files: SearchedFile[] = [];
    const stale: string[] = [];
    const seen = new Set<string>();
    for (const [name, member] of members) {
      const isOther = model !== undefined && member.index?.model !== model;
      const index = isOther ? undefined : await this.#indexOf(member);
      if (!index) stale.push(name);
      // A file of two stores is found once.
      else if (!seen.has(member.id)) files.push({ name, member, index });
      seen.add(member.id);
    }
    return { files, stale };
  }

  /** Undefined: it is gone or damaged. */
  async #indexOf({ index: facts }: MemberRecord): Promise<FileIndex | undefined> {
    if (!facts) return undefined;
    const known = this.#indexes.get(facts.name);
    if (known) {
      this.#indexes.delete(facts.name);
      this.#indexes.set(facts.name, known);
      return known.index;
    }
    const bytes = await this.#library.place.read(facts.name);
    const index = bytes && isWhole(bytes, facts) ? decodeIndex(bytes) : undefined;
    if (!index) return undefined;
    this.#indexes.set(facts.name, { index, bytes: facts.bytes });
    this.#cached += facts.bytes;
    for (const [name, { bytes: size }] of this.#indexes) {
      if (this.#cached <= MAX_CACHED || name === facts.name) break;
      this.#indexes.delete(name);
      this.#cached -= size;
    }
    return index;
  }

  /** What was removed meanwhile is left out. */
  async #describe(best: readonly ScoredChunk[], files: readonly SearchedFile[]): Promise<FoundChunk[]> {
    const texts = new Map<number, { text: string; filename: string } | undefined>();
    for (const { file } of best) if (!texts.has(file)) texts.set(file, await this.#textOf(files[file]!));
    return best.flatMap(({ file, chunk, score }) => {
      const { member, index } = files[file]!;
      const read = texts.get(file);
      if (!read) return [];
      const text = read.text.slice(index.starts[chunk], index.ends[chunk]);
      return [{ fileId: member.id, filename: read.filename, score, attributes: member.attributes, text }];
    });
  }

  async #textOf({ name, member: { id } }: SearchedFile): Promise<{ text: string; filename: string } | undefined> {
    const file = nameOf(placeOf(placeOf(name)), id);
    const text = await this.#files.textOf(file);
    const record = await this.#library.update((transaction) => read(transaction, 'files', file));
    return typeof text === 'string' && record ? { text, filename: record.filename } : undefined;
  }

  async #judge(
    found: readonly FoundChunk[],
    { queries, ranker: model, threshold, limit }: Search & { ranker: string },
    signal: AbortSignal,
  ): Promise<FoundChunk[]> {
    if (found.length === 0) return [];
    const documents = found.map(({ text }) => text);
    const scores = found.map(() => 0);
    for (const query of queries) {
      const judged = await this.#inference.rerank({ model, query, documents }, { signal, deadline: 'result' });
      for (const [index, score] of judged.scores.entries())
        scores[index] = Math.max(scores[index]!, Math.min(1, score));
    }
    return found
      .map((each, index) => ({ ...each, score: scores[index]! }))
      .filter(({ score }) => score > 0 && score >= threshold)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, limit);
  }
}

interface SearchedFile {
  /** Of the member. */
  name: string;
  member: MemberRecord;
  index: FileIndex;
}
