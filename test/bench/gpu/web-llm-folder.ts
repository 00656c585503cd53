/** The model of WebLLM that `INPAGE_WEBLLM_MODEL` names: its folder, or one of a compiled library alone. @module */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeRandomModel } from '../../web-llm/make-random-model.js';

export interface WebLlmFolder {
  /** What WebLLM downloads. */
  folder: string;
  /** With its precision. */
  name: string;
  isOlder: boolean;
  /** Makes random weights for a library that stands alone. @param tokenizer folder of the tokenizer's files */
  fill(tokenizer: string): Promise<void>;
}

/** @param cache where weights are made @returns undefined: none was named */
export function webLlmFolder(cache: string): WebLlmFolder | undefined {
  const given = process.env['INPAGE_WEBLLM_MODEL'];
  if (given === undefined) return undefined;
  const folder = resolve(given);
  const engine = join(folder, 'engine.json');
  const { package: needed } = existsSync(engine)
    ? (JSON.parse(readFileSync(engine, 'utf8')) as { package?: string })
    : { package: undefined };
  const config = join(folder, 'mlc-chat-config.json');
  if (existsSync(config)) {
    const { quantization } = JSON.parse(readFileSync(config, 'utf8')) as { quantization: string };
    const fill = (): Promise<void> => Promise.resolve();
    return { folder, name: `WebLLM in ${quantization}`, isOlder: needed === 'web-llm-0-2-79', fill };
  }
  const library = readdirSync(folder).find((file) => file.endsWith('.wasm'));
  if (!library) throw new Error(`${folder} has neither a model of WebLLM nor a compiled library (.wasm).`);
  const made = join(cache, `inpage-bench-${library.replace(/\.wasm$/, '')}`);
  return {
    folder: made,
    name: `WebLLM in ${/q\df\d+(_\d)?/.exec(library)?.[0]}`,
    isOlder: needed !== '@mlc-ai/web-llm',
    async fill(tokenizer) {
      const isThere = existsSync(join(made, 'engine.json'));
      if (!isThere) await makeRandomModel(join(folder, library), tokenizer, made, needed);
    },
  };
}

/** Bytes of weights that a token reads: not the table of tokens, but where it is the head, too. */
export function webLlmBytes({ folder }: WebLlmFolder): number {
  const { records } = JSON.parse(readFileSync(join(folder, 'ndarray-cache.json'), 'utf8')) as {
    records: { records: { name: string; nbytes: number }[] }[];
  };
  const tensors = records.flatMap((shard) => shard.records);
  const hasHead = tensors.some(({ name }) => name.startsWith('lm_head'));
  const read = tensors.filter(({ name }) => !hasHead || !name.includes('embed_tokens'));
  return read.reduce((sum, { nbytes }) => sum + nbytes, 0);
}
