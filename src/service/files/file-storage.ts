/** What a gateway keeps of files: one service for all its apps, opened with the first request that needs it. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import type { OptionsByRealm } from '../../core/models/inference-options.js';
import { STORED_FILES_BYTES, type StoredFiles } from '../../core/models/stored-model.js';
import type { Inference } from '../scheduler/inference.js';
import type { FileService } from './open-file-service.js';
import type { PdfReader } from './read/read-file.js';
import type { Unreadable } from './read/unreadable.js';

/** What the service is made with. */
export interface FileStorageSettings {
  inference: Inference;
  now: () => number;
  createId: () => string;
  /** Services of other names have files of their own. */
  service: string;
  /** @default none is read */
  readPdf?: PdfReader;
  /** Called when a file was stored. */
  onStored?: () => void;
  /** @default in the browser's private file system, where there is one */
  isLasting?: boolean;
}

const noPdf: PdfReader = async () => ({ code: 'invalid_file', message: 'No PDF is read here.' });

/** See the module. */
export class FileStorage {
  readonly #option: OptionsByRealm['gateway']['files'];
  readonly #settings: FileStorageSettings & { readPdf: PdfReader };
  #service: Promise<FileService> | undefined;

  constructor(option: OptionsByRealm['gateway']['files'], settings: FileStorageSettings) {
    this.#option = option;
    this.#settings = { readPdf: noPdf, ...settings };
  }

  readonly open = (): Promise<FileService> => {
    const { maxBytes = STORED_FILES_BYTES, embeddingModel, rerankModel } = this.#option ?? {};
    this.#service ??= fetchPart(() => import('./open-file-service.js')).then(({ openFileService }) =>
      openFileService({ isLasting: true, ...this.#settings, maxBytes, embeddingModel, rerankModel }),
    );
    // A part that could not be fetched is asked for again.
    this.#service.catch(() => (this.#service = undefined));
    return this.#service;
  };

  /** The text of a file that is not stored. */
  readonly readFile = async (bytes: Uint8Array<ArrayBuffer>, name: string): Promise<string | Unreadable> => {
    const { readFile } = await fetchPart(() => import('./read/read-file.js'));
    return readFile(bytes, name, this.#settings.readPdf);
  };

  usage(): Promise<StoredFiles> {
    return this.open().then((service) => service.usage());
  }

  /** Removes all, of every caller. */
  clear(): Promise<void> {
    return this.open().then((service) => service.clear());
  }

  /** Goes on with indexing that an earlier visit has left. Nothing is loaded where none has left anything. */
  async resume(): Promise<void> {
    const databases = await globalThis.indexedDB?.databases?.().catch(() => []);
    if (databases?.some(({ name }) => name === FILES_DATABASE)) await this.open();
  }

  async stop(): Promise<void> {
    (await this.#service?.catch(() => undefined))?.stop();
  }
}

/** Said here too, because what else knows it is loaded later. */
const FILES_DATABASE = 'inpage-files';
