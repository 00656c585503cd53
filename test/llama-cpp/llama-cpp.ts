/** llama.cpp in Node: `node-llama-cpp` with its prebuilt binary, in a folder of its own. @module */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSION = '3.22.1';
const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/llama-cpp-${VERSION}`);
/** Names of the packages with the binaries. */
const BINARIES: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
};

/** The part of `node-llama-cpp` that is used. */
export interface Llama {
  loadModel(options: {
    modelPath: string;
    gpuLayers?: number;
    vocabOnly?: boolean;
    checkTensors?: boolean;
    useMmap?: boolean;
  }): Promise<LlamaModel>;
  dispose(): Promise<void>;
}

interface LlamaModel {
  tokenize(text: string, specialTokens?: boolean): number[];
  detokenize(tokens: readonly number[], specialTokens?: boolean): string;
  isEogToken(token: number): boolean;
  createContext(options: Record<string, unknown>): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

interface LlamaContext {
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

interface LlamaSequence {
  clearHistory(): Promise<void>;
  evaluate(tokens: readonly number[], options: Record<string, unknown>): AsyncIterable<number>;
  controlledEvaluate(
    input: readonly (number | [number, { generateNext: { logits: true } }])[],
  ): Promise<({ next: { logits?: Map<number, number> } } | undefined)[]>;
}

/** Installs it where it is missing. */
export async function openLlama(): Promise<Llama> {
  const library = join(FOLDER, 'node_modules/node-llama-cpp/dist/index.js');
  if (!existsSync(library)) install();
  const { getLlama } = (await import(pathToFileURL(library).href)) as {
    getLlama(options: Record<string, unknown>): Promise<Llama>;
  };
  return getLlama({ gpu: false, build: 'never', logLevel: 'disabled', progressLogs: false });
}

function install(): void {
  const binary = BINARIES[`${process.platform}-${process.arch}`];
  if (!binary) throw new Error(`node-llama-cpp has no binary for ${process.platform}-${process.arch}.`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"private":true,"type":"module"}');
  // Its other binaries, 700 MB for graphics cards, are optional.
  const flags = ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const packages = [`node-llama-cpp@${VERSION}`, `@node-llama-cpp/${binary}@${VERSION}`];
  execFileSync('npm', [...flags, ...packages], { cwd: FOLDER, stdio: 'inherit' });
}
