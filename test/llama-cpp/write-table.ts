/** The tables of the documents about GGUF files, made of what was compared with llama.cpp. @module */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TINY_ARCHITECTURES } from '../model/engines/gguf/support/tiny-architectures.js';
import { COMPARED_KINDS } from '../model/engines/gguf/support/compared-models.js';
import type { Comparison } from './compare-models.js';

const DOCUMENT = join(import.meta.dirname, '../../demo/docs/models.md');
const [BEGIN, END] = ['<!-- npm run test:llama-cpp -- --write -->', '<!-- end of what it writes -->'];

/**
 * Writes the tables, or compares their rows with what is there: the numbers differ from one processor to another.
 * @returns what differs
 */
export function updateTables(all: readonly Comparison[], write: boolean): string[] {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) return [`${DOCUMENT} has no place for the tables.`];
  const tables = tablesOf(new Map(all.map(({ name, worst }) => [name, worst])));
  if (write) {
    writeFileSync(DOCUMENT, `${text.slice(0, begin + BEGIN.length)}\n\n${tables}\n${text.slice(end)}`);
    return [];
  }
  const isSame = rowsOf(text.slice(begin, end)) === rowsOf(tables);
  return isSame ? [] : ['The tables of models.md are outdated: npm run test:llama-cpp -- --write'];
}

/** What stands in the first column. */
const rowsOf = (tables: string): string => tables.match(/^\| `[^`]+`/gm)?.join() ?? '';

function tablesOf(worst: ReadonlyMap<string, number>): string {
  const row = (name: string, columns: readonly string[]): string =>
    `| \`${name}\` | ${columns.map((column) => shown(worst.get(column))).join(' | ')} |`;
  return [
    '| architecture | the model | with a LoRA adapter |',
    '| --- | --- | --- |',
    ...Object.keys(TINY_ARCHITECTURES).map((name) => row(name, [name, `${name} with an adapter`])),
    '',
    '| kind of weights | a look-up of tokens | all matrices |',
    '| --- | --- | --- |',
    ...COMPARED_KINDS.map((kind) => row(kind, [`${kind}, looked up`, `${kind}, multiplied`])),
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
