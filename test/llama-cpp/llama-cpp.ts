/** llama.cpp in Node: `node-llama-cpp` with its prebuilt binary, in a folder of its own. @module */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const VERSION = '3.22.1';
const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/llama-cpp-${VERSION}`);
/** What it computes with, of which it takes the best one for the processor. */
const CPU_BUILD = /^libggml-cpu-(\w+)\./;
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

/**
 * Installs it where it is missing.
 * @param cpu what it uses: `haswell` is AVX2, `alderlake` has VNNI too; by default all that the processor has
 */
export async function openLlama(cpu?: string): Promise<Llama> {
  const folder = cpu === undefined ? FOLDER : `${FOLDER}-${cpu}`;
  const library = join(folder, 'node_modules/node-llama-cpp/dist/index.js');
  if (!existsSync(library)) install(folder, cpu);
  const { getLlama } = (await import(pathToFileURL(library).href)) as {
    getLlama(options: Record<string, unknown>): Promise<Llama>;
  };
  return getLlama({ gpu: false, build: 'never', logLevel: 'disabled', progressLogs: false });
}

function install(folder: string, cpu: string | undefined): void {
  const binary = BINARIES[`${process.platform}-${process.arch}`];
  if (!binary) throw new Error(`node-llama-cpp has no binary for ${process.platform}-${process.arch}.`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  // Its other binaries, 700 MB for graphics cards, are optional.
  const flags = ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const packages = [`node-llama-cpp@${VERSION}`, `@node-llama-cpp/${binary}@${VERSION}`];
  execFileSync('npm', [...flags, ...packages], { cwd: folder, stdio: 'inherit' });
  if (cpu === undefined) return;
  const binaries = join(folder, 'node_modules/@node-llama-cpp', binary);
  for (const file of readdirSync(binaries, { recursive: true, encoding: 'utf8' })) {
    const build = CPU_BUILD.exec(basename(file))?.[1];
    if (build !== undefined && build !== cpu) rmSync(join(binaries, file));
  }
}
