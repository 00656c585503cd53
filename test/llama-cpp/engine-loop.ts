/** This project's engine without the service around it: it reads tokens, and writes the likeliest. @module */
import { PASS_ROWS } from '../../src/engines/gguf/forward.js';
import { KvPages, KvSequence } from '../../src/engines/gguf/kv-pages.js';
import { likeliest } from '../engines/gguf/support/log-probabilities.js';
import { type FileOptions, openFile } from '../engines/gguf/support/logits-of-file.js';

export interface EngineLoop {
  /** Reads a prompt, and nothing of what was read before. */
  read(prompt: readonly number[]): void;
  /** Goes on. */
  write(count: number): void;
}

/** @param options.isFast by default true */
export async function openLoop(
  file: Uint8Array,
  { isFast = true, threads = 1 }: Pick<FileOptions, 'isFast' | 'threads'> = {},
): Promise<EngineLoop> {
  const { forward, shape, memory } = await openFile(file, { exact: false, isFast, threads });
  const pages = new KvPages(memory, shape, 2 ** 28);
  let kv: KvSequence | undefined;
  let next: number | undefined;
  const pass = (tokens: readonly number[], keep = 1): void => {
    const [logits] = forward.run([{ tokens, kv: kv!, keep }])[0]!;
    next = logits && likeliest(logits);
  };
  return {
    read(prompt) {
      kv?.release();
      kv = new KvSequence(pages);
      for (let from = 0; from < prompt.length; from += PASS_ROWS)
        pass(prompt.slice(from, from + PASS_ROWS), from + PASS_ROWS < prompt.length ? 0 : 1);
    },
    write(count) {
      for (let made = 0; made < count; made++) pass([next!]);
    },
  };
}
