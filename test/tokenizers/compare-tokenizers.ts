/**
 * Compares token ids with those of Python's `tokenizers`, for a made tokenizer of each kind and random strings:
 * `npm run outside -- tokenizers`, with another number of strings behind `--`. Names of `tokenizer.json` files are compared too.
 * `--list` prints strings that differ, `--kind NAME` compares one kind only.
 */
import { Tokenizer } from '@huggingface/tokenizers';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { mendTokenizer } from '../../src/language/prompt/tokenizer/mend-tokenizer.js';
import { pythonWith } from '../support/python-packages.js';
import { randomStrings } from './random-strings.js';

const PACKAGES = { packages: ['tokenizers==0.23.3', 'sentencepiece==0.2.3', 'protobuf==7.36.2'] };
const STRINGS = 20_000;
const PACKAGED = ['tiny-chat', 'tiny-embed', 'tiny-whisper'];

/**
 * The share of strings that may differ: those with letters that only the newer Unicode of one side knows. The kind
 * `whitespace` has one token for a word of them, all others one for each letter or byte.
 */
const ALLOWED = 0.0005;
const ALLOWED_OF_WORDS = 0.02;

/** Milliseconds for all kinds: a few minutes on an idle machine. What is not compared by then has failed. */
const LIMIT = 45 * 60_000;

function main(): void {
  const options = process.argv.slice(2);
  const files = options.filter((option) => option.endsWith('.json')).map((file) => resolve(file));
  const texts = randomStrings(Number(options.find((option) => /^\d+$/.test(option)) ?? STRINGS));
  const python = pythonWith('tokenizers', PACKAGES);
  const folder = mkdtempSync(join(tmpdir(), 'inpage-tokenizers-'));
  try {
    const made = join(folder, 'made');
    execFileSync(python, [join(import.meta.dirname, 'make-tokenizers.py'), made], { stdio: 'inherit' });
    const models = join(import.meta.dirname, '../../public/models');
    const kinds = [
      ...readdirSync(made).map((file) => ({ name: basename(file, '.json'), file: join(made, file) })),
      ...PACKAGED.map((name) => ({ name, file: join(models, name, 'tokenizer.json') })),
      ...files.map((file) => ({ name: file, file })),
    ];
    const textFile = join(folder, 'texts.json');
    writeFileSync(textFile, JSON.stringify(texts));
    console.warn(`Of ${texts.length} strings, so many have other tokens than with Python's \`tokenizers\`:\n`);
    console.warn('| tokenizer | library | with its faults mended | seconds |\n| --- | --- | --- | --- |');
    const only = options.includes('--kind') ? options[options.indexOf('--kind') + 1] : undefined;
    for (const { name, file } of kinds.filter((kind) => only === undefined || kind.name === only)) {
      if (performance.now() > LIMIT)
        throw new Error(`Not compared within ${LIMIT / 60_000} minutes: ${name} and those behind it.`);
      const start = performance.now();
      const expected = encodeWithPython(python, textFile, file);
      const json = JSON.parse(readFileSync(file, 'utf8')) as object;
      const differing = (tokenizer: Tokenizer): number[] =>
        [...texts.keys()].filter((index) => tokenizer.encode(texts[index]!).ids.join() !== expected[index]!.join());
      const before = differing(new Tokenizer(json, {}));
      const after = differing(mendTokenizer(new Tokenizer(json, {})));
      console.warn(`| ${name} | ${before.length} | ${after.length} | ${seconds(start)} |`);
      if (options.includes('--list'))
        for (const index of after.slice(0, 20)) console.warn(JSON.stringify(texts[index]));
      const allowed = name === 'whitespace' ? ALLOWED_OF_WORDS : ALLOWED;
      if (after.length > Math.ceil(allowed * texts.length)) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function seconds(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function encodeWithPython(python: string, texts: string, tokenizer: string): number[][] {
  const script = join(import.meta.dirname, 'encode.py');
  return JSON.parse(
    execFileSync(python, [script, texts, tokenizer], { maxBuffer: 2 ** 31 - 1, timeout: LIMIT }).toString(),
  );
}

main();
