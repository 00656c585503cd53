/** Where an engine keeps the prompts that it has read: on this device, or in the model's pack. @module */
import { fetchPart } from '../../core/errors/fetch-part.js';
import { settledWithin } from '../../core/platform/settled-within.js';
import { shortened } from '../../store/prompts/block-name.js';
import type { PromptBlockStore } from '../../store/prompts/prompt-block-store.js';
import { PACKED_PROMPTS } from '../../store/sources/pack-manifest.js';
import { type PersistentPromptCacheOptions, hashRoot } from './persistent-prompt-cache.js';

/** Milliseconds that opening may take. */
const DISK_TIMEOUT_MS = 10_000;

/** A model's files, as far as prompts are concerned. */
export interface PromptSource {
  /** URL of the folder of its files. */
  folder: string;
  /** See {@link PersistentPromptCacheOptions}; undefined when the files are not what they were. */
  identity(): Promise<string | undefined>;
  /** Names of the files of prompts that its pack has. */
  packedPrompts(): Promise<readonly string[]>;
  readPackedPrompt(file: string): Promise<Uint8Array | undefined>;
  /** Tells the app. @param warning a sentence that begins small, with its point */
  warn(warning: string): void;
}

/**
 * Undefined when the app does not want it or this device cannot: a load must not fail for that.
 * @param maxBytes on this device; absent: nothing
 * @param use what prompts in packs are for
 */
export function openPromptDisk(
  source: PromptSource,
  maxBytes: number | undefined,
  use: string,
): Promise<Pick<PersistentPromptCacheOptions, 'disk' | 'identity'> | undefined> {
  const open = async (): Promise<Pick<PersistentPromptCacheOptions, 'disk' | 'identity'> | undefined> => {
    const names = await source.packedPrompts();
    if (maxBytes === undefined && names.length === 0) return undefined;
    const identity = await source.identity();
    if (identity === undefined) return undefined;
    const own = maxBytes === undefined ? undefined : await openOwn(source.folder, maxBytes);
    if (names.length === 0) return own && { disk: own, identity };
    const first = `${PACKED_PROMPTS}${shortened(await hashRoot(identity))}-`;
    if (!names.some((name) => name.startsWith(first)))
      source.warn(
        `the prompt cache packed with this model cannot be used here, so prompts are processed again: ${use}.`,
      );
    const { PackedPrompts } = await fetchPart(() => import('./packed-prompts.js'));
    return { disk: new PackedPrompts({ names, read: (file) => source.readPackedPrompt(file), own }), identity };
  };
  return settledWithin(open(), DISK_TIMEOUT_MS).catch(() => undefined);
}

async function openOwn(folder: string, maxBytes: number): Promise<PromptBlockStore | undefined> {
  // Comes with the first model whose prompts are cached on the device.
  const { PromptBlockStore: Store } = await fetchPart(() => import('../../store/prompts/prompt-block-store.js'));
  const root = await navigator.storage.getDirectory();
  return Store.open(folder, { root, locks: navigator.locks, maxBytes });
}
