/**
 * Files in the Cache API, for browsers whose workers cannot write to OPFS. Every part is an entry of its own, so a
 * download goes on after the last whole part.
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

/** Header of a part; browsers drop `content-length`. */
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
      let position = part * record.partBytes;
      const response = await this.#cache.match(partURL(record, part));
      for await (const chunk of (response?.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
        // Somebody else's can be longer.
        bytes.set(chunk.subarray(0, bytes.length - position), position);
        position = Math.min(bytes.length, position + chunk.length);
      }
      onBytes(position, bytes.length);
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

  /** Bytes of each part, as they were written: a browser keeps a part as a whole or not at all. */
  async #lengths(record: FileRecord): Promise<number[]> {
    const read = async (part: number): Promise<number> => {
      const response = await this.#cache.match(partURL(record, part));
      return Number(response?.headers.get(LENGTH) ?? 0);
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
  /** Parts that are not whole yet. */
  readonly #growing = new Map<number, Uint8Array[]>();
  record: FileRecord | undefined;
  kept: number[];

  constructor(cache: Cache, place: FilePlace, record: FileRecord | undefined, kept: number[]) {
    this.#cache = cache;
    this.#place = place;
    this.record = record;
    this.kept = kept;
  }

  async reset(record: FileRecord): Promise<void> {
    this.#growing.clear();
    await Promise.all(this.kept.map((_, part) => this.#cache.delete(partURL(this.#place, part))));
    this.kept = [];
    await this.save(record);
  }

  async save(record: FileRecord): Promise<void> {
    this.record = record;
    await this.#cache.put(`${fileURL(this.#place)}record`, new Response(JSON.stringify(record)));
  }

  async append(part: number, bytes: Uint8Array): Promise<void> {
    const pieces = this.#growing.get(part) ?? [];
    pieces.push(bytes.slice());
    this.#growing.set(part, pieces);
    this.kept[part] = (this.kept[part] ?? 0) + bytes.length;
    const whole = this.record?.size === undefined ? this.record!.partBytes : lengthOfPart(this.record, part);
    if (this.kept[part] === whole) await this.#put(part);
  }

  async drop(part: number): Promise<void> {
    this.#growing.delete(part);
    this.kept[part] = 0;
    await this.#cache.delete(partURL(this.#place, part));
  }

  async read(part: number): Promise<Uint8Array<ArrayBuffer>> {
    const pieces = this.#growing.get(part);
    return pieces ? joined(pieces) : bytesOf(await this.#cache.match(partURL(this.#place, part)));
  }

  async finish(record: FileRecord): Promise<void> {
    for (const part of this.#growing.keys()) await this.#put(part);
    await this.save(record);
  }

  async close(): Promise<void> {
    this.#growing.clear();
  }

  async #put(part: number): Promise<void> {
    const bytes = joined(this.#growing.get(part)!);
    const headers = { [LENGTH]: String(bytes.length) };
    await this.#cache.put(partURL(this.#place, part), new Response(bytes, { headers }));
    this.#growing.delete(part);
  }
}

async function bytesOf(response: Response | undefined): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(0));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
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
