/** The tables of the documents about GGUF files, made of what was compared with llama.cpp. @module */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TINY_ARCHITECTURES } from '../engines/gguf/support/tiny-architectures.js';
import { COMPARED_KINDS } from '../engines/gguf/support/compared-models.js';
import type { Comparison } from './compare-models.js';
import { type Speed, SPEED_FILES } from './compare-speed.js';

const DOCUMENT = join(import.meta.dirname, '../../demo/docs/benchmarks.md');
/** What stands before tables. */
const [DIFFERENCES, SPEEDS] = [
  '<!-- npm run test:llama-cpp -- --write -->',
  '<!-- npm run test:llama-cpp -- --speed --write -->',
];
const END = '<!-- end of what it writes -->';

/** llama.cpp's build for processors with AVX2 and VNNI, without AVX-512. */
const AVX2 = 'alderlake';
/** By what llama.cpp may use: the first of its two columns. */
const SPEED_COLUMNS = new Map<string | undefined, number>([
  [undefined, 0],
  [AVX2, 2],
]);

/**
 * Writes the tables of differences, or compares their rows with what is there: the numbers differ from one processor to another.
 * @returns what differs
 */
export function updateTables(all: readonly Comparison[], write: boolean): string[] {
  return update(DIFFERENCES, differencesOf(new Map(all.map(({ name, worst }) => [name, worst]))), write);
}

/** The same for the tables of speeds, whose numbers come of `--speed`. */
export function checkSpeeds(): string[] {
  return update(SPEEDS, speedsOf(new Map(), 0, ''), false);
}

/**
 * Writes the columns of what llama.cpp could use, and leaves the others as they are. Without `write`, and for something that has no
 * column, it does nothing.
 * @param cpu as `openLlama` takes it
 */
export function updateSpeeds(speeds: ReadonlyMap<string, Speed>, cpu: string | undefined, write: boolean): string[] {
  const column = SPEED_COLUMNS.get(cpu);
  if (column === undefined || !write) return [];
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(SPEEDS);
  return update(SPEEDS, speedsOf(speeds, column, text.slice(begin, text.indexOf(END, begin))), true);
}

function update(mark: string, tables: string, write: boolean): string[] {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(mark);
  const end = text.indexOf(END, begin);
  if (begin < 0 || end < 0) return [`${DOCUMENT} has no place for the tables.`];
  if (write) {
    writeFileSync(DOCUMENT, `${text.slice(0, begin + mark.length)}\n\n${tables}\n${text.slice(end)}`);
    return [];
  }
  const isSame = rowsOf(text.slice(begin, end)) === rowsOf(tables);
  return isSame ? [] : [`The tables of benchmarks.md are outdated: ${mark.replace(/^<!-- | -->$/g, '')}`];
}

/** What stands in the first column. */
const rowsOf = (tables: string): string => tables.match(/^\| `[^`]+`/gm)?.join() ?? '';

const row = (name: string, columns: readonly string[]): string => `| \`${name}\` | ${columns.join(' | ')} |`;

function differencesOf(worst: ReadonlyMap<string, number>): string {
  const differences = (name: string, columns: readonly string[]): string =>
    row(
      name,
      columns.map((column) => shown(worst.get(column))),
    );
  return [
    '| architecture | the model | with a LoRA adapter |',
    '| --- | --- | --- |',
    ...Object.keys(TINY_ARCHITECTURES).map((name) => differences(name, [name, `${name} with an adapter`])),
    '',
    '| kind of weights | a look-up of tokens | all matrices |',
    '| --- | --- | --- |',
    ...COMPARED_KINDS.map((kind) => differences(kind, [`${kind}, looked up`, `${kind}, multiplied`])),
    '',
  ].join('\n');
}

/** @param column the first of two that are measured @param present the tables that stand there */
function speedsOf(speeds: ReadonlyMap<string, Speed>, column: number, present: string): string {
  const ratios = (name: string): string => {
    const line = present.split('\n').find((each) => each.startsWith(`| \`${name}\` `));
    const cells = line?.split('|').slice(2, 6) ?? Array.from({ length: 4 }, () => 'not measured');
    const speed = speeds.get(name);
    if (speed) cells.splice(column, 2, speed.prompt.toFixed(2), speed.decode.toFixed(2));
    return row(
      name,
      cells.map((cell) => cell.trim()),
    );
  };
  const isArchitecture = (name: string): boolean => Object.hasOwn(TINY_ARCHITECTURES, name);
  const names = Object.keys(SPEED_FILES);
  const head = (of: string): string[] => [
    `| ${of} | prompt | decode | prompt, \`${AVX2}\` | decode, \`${AVX2}\` |`,
    '| --- | --- | --- | --- | --- |',
  ];
  return [
    ...head('architecture'),
    ...names.filter(isArchitecture).map(ratios),
    '',
    ...head('kind of weights'),
    ...names.filter((name) => !isArchitecture(name)).map(ratios),
    '',
  ].join('\n');
}

/** One digit that counts: `0.00003`. */
function shown(difference: number | undefined): string {
  if (difference === undefined || Number.isNaN(difference)) return 'not compared';
  if (difference === 0) return '0';
  const digits = Math.max(0, -Math.floor(Math.log10(difference)));
  return difference.toFixed(digits);
}
