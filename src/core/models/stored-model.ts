/** What is stored of models on the device, as `inference.stored()` lists it. @module */

/** What is cached of a model's prompts. */
export interface PromptCacheUsage {
  /** Prompts, of which one that another one continues counts with that. */
  count: number;
  /** On the disk. */
  bytes: number;
}

/** A file of a kept model. */
export interface StoredFile {
  /** Name in the model's folder, or a URL. */
  file: string;
  /** Bytes that are kept. */
  bytes: number;
  /** All of it is there, as it was written. */
  complete: boolean;
  /** It was compared with a hash that its source states. */
  verified: boolean;
}

/** A model of which something is kept on this device. */
export interface StoredModel {
  /** Catalog ids of the entries with these files; none when the catalog has changed since. */
  models: string[];
  /** URL of the files' folder. */
  source: string;
  /** What is there of it, complete or not. */
  files: StoredFile[];
  /** What is cached of its prompts, by the option `promptCache`. Default: nothing. */
  promptCache?: PromptCacheUsage;
  /** Of all files and prompts. */
  bytes: number;
  /** Everything that the last load or download asked for is there. */
  complete: boolean;
  /** Every file was compared with a hash that its source states. */
  verified: boolean;
  /** Unix milliseconds. */
  lastUsed: number;
}

/** @internal Most bytes of stored responses where the app names no bound. */
export const STORED_RESPONSES_BYTES = 64e6;

/** @internal Most bytes of stored files where the app names no bound. */
export const STORED_FILES_BYTES = 1e9;

/** How much is stored of files and vector stores. */
export interface StoredFiles {
  /** Files. */
  count: number;
  /** Of all of it: files, what was read from them, and indexes. */
  bytes: number;
  /** The bound. */
  maxBytes: number;
  /** Those that are there, with or without files. */
  vectorStores: number;
  /** It outlives the page. */
  persistent: boolean;
}

/** How much is stored of what `/responses` answered. */
export interface StoredResponses {
  /** Those that a request can name. */
  responses: number;
  /** Conversations with their items. */
  conversations: number;
  /** Of all of it, as JSON in UTF-16. */
  bytes: number;
}
