/** The table of model families: names from the list, models and syntax from the first line of each family's file. @module */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_FAMILIES } from '../../src/language/families/families.js';
import type { ModelFamily } from '../../src/language/families/format/model-family.js';
import { markdownTable } from './markdown-table.js';

const folder = join(import.meta.dirname, '../../src/language/families');

/** @throws Error for a family whose file does not begin with its syntax and its models */
export function familyTable(): string {
  const families: readonly ModelFamily[] = MODEL_FAMILIES;
  const rows = families.map(({ name, tools, reasoning }) => {
    const what = [...(tools ? ['calls'] : []), ...(reasoning ? ['thoughts'] : [])].join(', ');
    const [syntax, models] = firstLine(`${name.replaceAll('.', '')}.ts`);
    return [`\`${name}\``, what, models, syntax];
  });
  return markdownTable(['name', 'of', 'models', 'syntax'], rows);
}

function firstLine(file: string): [syntax: string, models: string] {
  const [, syntax, models] =
    /^\/\*\* (.+): ([^:]+)\. @module \*\/\n/.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
  if (syntax === undefined || models === undefined)
    throw new Error(`${file} does not begin with its syntax and models.`);
  return [syntax, models];
}
