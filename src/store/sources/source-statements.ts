/** What a source states of its files: by a manifest, by a hub's list, or by hashes that the app wrote down. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import { sizeOnServer } from './ask-server.js';
import { parseSha256 } from '../storage/digest.js';
import { type ExpectedFile, fileURLOf, isSmallName } from '../storage/byte-storage.js';
import { hubListURL, LIST, listHubFiles, parseHubFolder, requireHubFiles } from './hub.js';
import type { FileFetcher } from '../download/fetch-file.js';
import { PACK_MANIFEST, readManifest } from './pack-manifest.js';
import type { StoreEnvironment } from '../storage/store-environment.js';

export interface StatementsOptions {
  /** Catalog id, for errors. */
  id: string;
  /** Absolute URL of the files' folder; ends with `/`. */
  folder: string;
  /** See `ModelFilesOptions`. */
  query?: string | undefined;
  /** See `ModelEntry`. */
  integrity: string | Record<string, string> | undefined;
  environment: StoreEnvironment;
  signal: AbortSignal;
  /** Text of the folder's manifest; undefined when there is none. */
  readManifest: () => Promise<string | undefined>;
}

export class SourceStatements {
  readonly #options: StatementsOptions;
  /** Sizes that the server was asked for. */
  readonly #asked = new Map<string, Promise<number>>();
  #all: Promise<Map<string, ExpectedFile>> | undefined;

  constructor(options: StatementsOptions) {
    this.#options = options;
  }

  /** A manifest names all files of its folder. */
  get hasManifest(): boolean {
    return typeof this.#options.integrity === 'string';
  }

  /** The files that the manifest names, or all where there is none. */
  async listed(files: string[]): Promise<string[]> {
    if (!this.hasManifest) return files;
    const stated = await Promise.all(files.map((file) => this.of(file)));
    return files.filter((_, index) => stated[index]);
  }

  /** What is stated of a file. @throws InferenceError `unavailable` without the manifest */
  async of(file: string): Promise<ExpectedFile | undefined> {
    const { integrity } = this.#options;
    if (typeof integrity === 'string' && file === PACK_MANIFEST) return { sha256: parseSha256(integrity) };
    const stated = (await this.all()).get(file);
    const own = this.own(file);
    if (!own) return stated;
    return { ...(stated?.bytes !== undefined && { bytes: stated.bytes }), ...own };
  }

  /** What the app wrote down of a file, which no source is asked for. */
  own(file: string): ExpectedFile | undefined {
    const { integrity } = this.#options;
    const hash = typeof integrity === 'object' ? integrity[file] : undefined;
    return hash === undefined ? undefined : { sha256: parseSha256(hash) };
  }

  /** What a manifest or a hub states, by file; empty when neither does. */
  all(): Promise<Map<string, ExpectedFile>> {
    return (this.#all ??= this.#read());
  }

  /**
   * Asks a hub that gave no list for it again.
   * @param retried asks as often as a download tries
   * @throws what `retried` throws
   */
  async require(retried: FileFetcher['retried']): Promise<void> {
    const { environment, folder: model, signal } = this.#options;
    const hub = parseHubFolder(model);
    if (!hub) return;
    const wanted = { model, file: LIST, url: hubListURL(hub) };
    const list = await retried(wanted, () => requireHubFiles(hub, environment, signal));
    this.#all = Promise.resolve(list);
  }

  /** Bytes of a file as stated or stored, else as the server says; 0 when unknown. @param stored bytes of the whole file */
  async sizeOf(file: string, stored: number | undefined): Promise<number> {
    const known = (await this.of(file))?.bytes ?? stored;
    if (known !== undefined) return known;
    const asked = this.#asked.get(file) ?? this.#askForSize(file);
    this.#asked.set(file, asked);
    return asked;
  }

  async #askForSize(file: string): Promise<number> {
    const { environment, folder, query, signal } = this.#options;
    if (isSmallName(file) || environment.isOffline()) return 0;
    return sizeOnServer(environment, fileURLOf(file, { folder, query }), signal);
  }

  async #read(): Promise<Map<string, ExpectedFile>> {
    const { environment, folder, id, signal } = this.#options;
    if (this.hasManifest) {
      const manifest = await this.#options.readManifest();
      try {
        if (manifest !== undefined) return readManifest(manifest);
      } catch (cause) {
        const reason = cause instanceof TypeError ? cause.message : 'It is not JSON.';
        const message = `The \`${PACK_MANIFEST}\` of \`${id}\` cannot be used. ${reason}`;
        throw new InferenceError('unavailable', message, { permanent: true }, { cause });
      }
      throw new InferenceError('unavailable', `The folder of \`${id}\` holds no \`${PACK_MANIFEST}\`.`);
    }
    const hub = parseHubFolder(folder);
    const isAsked = hub !== undefined && !environment.isOffline();
    return (isAsked ? await listHubFiles(hub, environment, signal) : undefined) ?? new Map<string, ExpectedFile>();
  }
}
