/**
 * Files in the Cache API, for browsers whose workers cannot write to OPFS. An entry is written at once or not at all: a part
 * is kept in pieces while it comes in, and as one entry when it is whole.
 * @module
 */
import {
  type ByteStorage,
  countParts,
  type FilePlace,
  type FileRecord,
  type KeptFile,
  lengthOfPart,
  type ModelNote,
  type OpenFile,
  parseRecord,
} from './byte-storage.js';

/** Name of the cache. */
const CACHE = 'inpage-models';

/** Keys must be URLs; this host can never be asked. */
const BASE = 'https://inpage.invalid/';

/** Bytes of a part that are not in storage yet, at most: a killed tab loses them. */
const PIECE_BYTES = 128 * 2 ** 10;

/** Header of an entry; browsers drop `content-length`. */
const LENGTH = 'x-inpage-bytes';

export class CacheFileStorage implements ByteStorage {
  readonly lasting: boolean = true;
  readonly #cache: Cache;

  private constructor(cache: Cache) {
    this.#cache = cache;
  }

  /** Undefined where there is no Cache API, or one that refuses. */
  static async create(): Promise<CacheFileStorage | undefined> {
    try {
      return new CacheFileStorage(await caches.open(CACHE));
    } catch {
      return undefined;
    }
  }

  /** A part that somebody else has put in its place looks like ours. */
  async tellsChanges(): Promise<boolean> {
    return false;
  }

  async find(place: FilePlace): Promise<KeptFile | undefined> {
    const record = await this.#record(place);
    return record && this.#kept(record);
  }

  async open(place: FilePlace): Promise<OpenFile> {
    const record = await this.#record(place);
    const kept = record ? await this.#lengths(record) : [];
    return new OpenCacheFile(this.#cache, place, record, kept);
  }

  async readAll(place: FilePlace, onBytes: (loaded: number, total: number) => void): Promise<Uint8Array<ArrayBuffer>> {
    const record = (await this.#record(place))!;
    const bytes = new Uint8Array(record.size ?? 0);
    for (let part = 0; part < countParts(record); part++) {
      const start = part * record.partBytes;
      // Somebody else's can be longer.
      const stored = (await bytesOf(await this.#cache.match(partURL(record, part)))).subarray(0, bytes.length - start);
      bytes.set(stored, start);
      onBytes(start + stored.length, bytes.length);
    }
    return bytes;
  }

  async readPart({ record }: KeptFile, part: number): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#cache.match(partURL(record, part)));
  }

  async accept({ record }: KeptFile): Promise<void> {
    await this.#cache.put(`${fileURL(record)}record`, new Response(JSON.stringify(record)));
  }

  async remove(place: FilePlace): Promise<void> {
    await this.#removeBelow(fileURL(place));
  }

  async list(): Promise<{ note: ModelNote; files: KeptFile[] }[]> {
    const models = new Map<string, { note: ModelNote; files: KeptFile[] }>();
    const urls = (await this.#cache.keys()).map((request) => request.url);
    for (const url of urls.filter((url) => url.endsWith('/note'))) {
      const note = (await (await this.#cache.match(url))!.json()) as ModelNote;
      models.set(note.model, { note, files: [] });
    }
    for (const url of urls.filter((url) => url.endsWith('/record'))) {
      const record = parseRecord(await (await this.#cache.match(url))!.text());
      if (record) models.get(record.model)?.files.push(await this.#kept(record));
    }
    return [...models.values()];
  }

  async saveNote(note: ModelNote): Promise<void> {
    await this.#cache.put(noteURL(note.model), new Response(JSON.stringify(note)));
  }

  async removeModel(model: string): Promise<void> {
    await this.#removeBelow(modelURL(model));
  }

  async #record(place: FilePlace): Promise<FileRecord | undefined> {
    const response = await this.#cache.match(`${fileURL(place)}record`);
    return response && parseRecord(await response.text());
  }

  async #kept(record: FileRecord): Promise<KeptFile> {
    const lengths = await this.#lengths(record);
    const bytes = lengths.reduce((sum, length) => sum + length, 0);
    return { record, bytes, untouched: record.state === 'complete' && bytes === record.size };
  }

  /** Bytes of each part, as they were written: a browser keeps an entry as a whole or not at all. */
  async #lengths(record: FileRecord): Promise<number[]> {
    const read = async (part: number): Promise<number> => {
      const whole = lengthIn(await this.#cache.match(partURL(record, part)));
      if (whole > 0 || record.state !== 'partial') return whole;
      for (let start = 0; ;) {
        const length = lengthIn(await this.#cache.match(pieceURL(record, part, start)));
        if (length === 0) return start;
        start += length;
      }
    };
    return Promise.all(Array.from({ length: countParts(record) }, (_, part) => read(part)));
  }

  async #removeBelow(base: string): Promise<void> {
    const requests = await this.#cache.keys();
    await Promise.all(requests.filter(({ url }) => url.startsWith(base)).map((request) => this.#cache.delete(request)));
  }
}

class OpenCacheFile implements OpenFile {
  readonly #cache: Cache;
  readonly #place: FilePlace;
  /** Bytes at the end of parts that are in no entry yet. */
  readonly #tails = new Map<number, Uint8Array[]>();
  /** Parts that are kept in pieces. */
  readonly #inPieces = new Set<number>();
  record: FileRecord | undefined;
  kept: number[];

  constructor(cache: Cache, place: FilePlace, record: FileRecord | undefined, kept: number[]) {
    this.#cache = cache;
    this.#place = place;
    this.record = record;
    this.kept = kept;
    kept.forEach((length, part) => {
      if (length > 0 && length < this.#lengthOf(part)) this.#inPieces.add(part);
    });
  }

  async reset(record: FileRecord): Promise<void> {
    for (const part of this.kept.keys()) await this.drop(part);
    this.kept = [];
    await this.save(record);
  }

  async save(record: FileRecord): Promise<void> {
    this.record = record;
    await this.#cache.put(`${fileURL(this.#place)}record`, new Response(JSON.stringify(record)));
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const tail = this.#tails.get(part) ?? [];
    tail.push(bytes.slice());
    this.#tails.set(part, tail);
    this.kept[part] = (this.kept[part] ?? 0) + bytes.length;
    if (this.kept[part] === this.#lengthOf(part)) await this.#join(part);
    else if (lengthOf(tail) >= PIECE_BYTES) await this.#flush(part);
  }

  async drop(part: number): Promise<void> {
    this.#tails.delete(part);
    this.kept[part] = 0;
    await this.#cache.delete(partURL(this.#place, part));
    await this.#deletePieces(part);
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    const stored = this.#inPieces.has(part)
      ? await readPieces(this.#cache, this.#place, part)
      : [await bytesOf(await this.#cache.match(partURL(this.#place, part)))];
    return joined([...stored, ...(this.#tails.get(part) ?? [])]);
  }

  async finish(record: FileRecord): Promise<void> {
    for (const part of new Set([...this.#tails.keys(), ...this.#inPieces])) await this.#join(part);
    await this.save(record);
  }

  /** What came before a load was given up is kept. */
  async close(): Promise<void> {
    for (const part of this.#tails.keys()) await this.#flush(part).catch(() => {});
    this.#tails.clear();
  }

  #lengthOf(part: number): number {
    return this.record?.size === undefined ? (this.record?.partBytes ?? 0) : lengthOfPart(this.record, part);
  }

  async #flush(part: number): Promise<void> {
    const bytes = joined(this.#tails.get(part) ?? []);
    this.#inPieces.add(part);
    await put(this.#cache, pieceURL(this.#place, part, this.kept[part]! - bytes.length), bytes);
    this.#tails.delete(part);
  }

  /** Makes one entry of a part. */
  async #join(part: number): Promise<void> {
    await put(this.#cache, partURL(this.#place, part), await this.read(part));
    this.#tails.delete(part);
    await this.#deletePieces(part);
  }

  async #deletePieces(part: number): Promise<void> {
    this.#inPieces.delete(part);
    for (let start = 0; ;) {
      const url = pieceURL(this.#place, part, start);
      const length = lengthIn(await this.#cache.match(url));
      if (length === 0) return;
      await this.#cache.delete(url);
      start += length;
    }
  }
}

/** Bytes of an entry, as they were written; 0 when there is none. */
function lengthIn(response: Response | undefined): number {
  return Number(response?.headers.get(LENGTH) ?? 0);
}

/** The pieces of a part from its start on, without a gap. */
async function readPieces(cache: Cache, place: FilePlace, part: number): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; ;) {
    const piece = await bytesOf(await cache.match(pieceURL(place, part, start)));
    if (piece.length === 0) return pieces;
    pieces.push(piece);
    start += piece.length;
  }
}

async function put(cache: Cache, url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await cache.put(url, new Response(bytes, { headers: { [LENGTH]: String(bytes.length) } }));
}

async function bytesOf(response: Response | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(0));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthOf(pieces));
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function modelURL(model: string): string {
  return `${BASE}${encodeURIComponent(model)}/`;
}

function noteURL(model: string): string {
  return `${modelURL(model)}note`;
}

function fileURL({ model, file }: FilePlace): string {
  return `${modelURL(model)}${encodeURIComponent(file)}/`;
}

function partURL(place: FilePlace, part: number): string {
  return `${fileURL(place)}${part}`;
}

/** A piece of a part that is not whole. @param start its place in the part */
function pieceURL(place: FilePlace, part: number, start: number): string {
  return `${partURL(place, part)}/${start}`;
}
