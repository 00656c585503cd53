/** Kept prompts that come with a packed model, beside those on the device: they help on the first visit already. @module */
import type { BlockName } from '../../store/prompts/block-name.js';
import type { NewBlock } from '../../store/prompts/prompt-block-store.js';
import { packedPromptName } from '../../store/sources/pack-manifest.js';
import type { BlockStore } from './persistent-prompt-cache.js';

interface PackedPromptsOptions {
  /** Names of the files that the pack has for prompts. */
  names: readonly string[];
  /** A file of the pack, checked. */
  read: (name: string) => Promise<Uint8Array | undefined>;
  /** What this device keeps; absent: nothing. */
  own: BlockStore | undefined;
}

export class PackedPrompts implements BlockStore {
  readonly #names: ReadonlySet<string>;
  readonly #options: PackedPromptsOptions;

  constructor(options: PackedPromptsOptions) {
    this.#names = new Set(options.names);
    this.#options = options;
  }

  async has(block: BlockName): Promise<boolean> {
    return this.#isPacked(block) || this.#options.own?.has(block) || false;
  }

  async read(block: BlockName): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { own, read } = this.#options;
    const packed = this.#isPacked(block) ? await read(packedPromptName(block)).catch(() => undefined) : undefined;
    return packed ? (packed as Uint8Array<ArrayBuffer>) : own?.read(block);
  }

  /** What is packed is not kept once more. */
  async write(blocks: readonly NewBlock[], signal: AbortSignal): Promise<boolean> {
    const others = blocks.filter((block) => !this.#isPacked(block));
    return others.length === 0 || (this.#options.own?.write(others, signal) ?? false);
  }

  async readNote(name: string): Promise<string | undefined> {
    return this.#options.own?.readNote(name);
  }

  async writeNote(name: string, text: string): Promise<boolean> {
    return this.#options.own?.writeNote(name, text) ?? false;
  }

  #isPacked(block: BlockName): boolean {
    return this.#names.has(packedPromptName(block));
  }
}
