/** What llama.cpp makes of a file's bytes. @module */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GivenAdapter } from '../engines/gguf/support/logits-of-file.js';
import type { Llama } from './llama-cpp.js';

const CONTEXT = 512;

/** What a model makes of tokens. */
export interface ReadAnswer {
  /** After each token. */
  logits: Float32Array[];
  /** The likeliest tokens that follow. */
  answer: number[];
}

export interface ComparedAdapter extends Required<GivenAdapter> {
  /** What llama.cpp reads. */
  theirFile: Uint8Array;
}

export interface LlamaCppOptions {
  /** Tokens of an answer, and those that end one. */
  most: number;
  ends?: readonly number[];
  adapters?: readonly ComparedAdapter[];
  /** Of keys and values. */
  precision?: 'F32' | 'F16';
}

/** @param prompts each is read alone */
export async function readByLlamaCpp(
  llama: Llama,
  file: Uint8Array,
  prompts: readonly (readonly number[])[],
  { most, ends = [], adapters = [], precision = 'F32' }: LlamaCppOptions,
): Promise<ReadAnswer[]> {
  const folder = mkdtempSync(join(tmpdir(), 'inpage-llama-cpp-'));
  try {
    const path = join(folder, 'model.gguf');
    writeFileSync(path, file);
    const lora = adapters.map(({ theirFile: bytes, scale }, index) => {
      const filePath = join(folder, `adapter-${index}.gguf`);
      writeFileSync(filePath, bytes);
      return { filePath, scale };
    });
    const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false });
    const context = await model.createContext({
      contextSize: CONTEXT,
      threads: 1,
      flashAttention: false,
      ...(lora.length > 0 && { lora: { adapters: lora } }),
      experimentalKvCacheKeyType: precision,
      experimentalKvCacheValueType: precision,
    });
    const sequence = context.getSequence();
    const answers: ReadAnswer[] = [];
    for (const prompt of prompts) {
      await sequence.clearHistory();
      const given = await sequence.controlledEvaluate(
        prompt.map((token) => [token, { generateNext: { logits: true } }]),
      );
      const logits = given.map((each) => {
        const found = each!.next.logits!;
        return Float32Array.from({ length: found.size }, (_, token) => found.get(token) ?? Number.NaN);
      });
      await sequence.clearHistory();
      const answer: number[] = [];
      for await (const token of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
        answer.push(token);
        if (answer.length === most || ends.includes(token)) break;
      }
      answers.push({ logits, answer });
    }
    await model.dispose();
    return answers;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
