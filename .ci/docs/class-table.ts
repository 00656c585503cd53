/** The table of model classes, from the list that the loader reads. @module */
import { MODEL_CLASSES, type ModelClasses } from '../../src/engines/transformers/repository/model-classes.js';
import { markdownTable } from './markdown-table.js';

/** More would make the table wider than a page. */
const TYPES_IN_ROW = 8;

/** What runs first, then what is refused. Classes that are alike share their rows, of which the first says what they are. */
export function classTable(): string {
  const rows = MODEL_CLASSES.flatMap(({ kind, tasks, types }: ModelClasses) => {
    const facts = [kind, tasks.length > 0 ? `works: ${tasks.join(', ')}` : 'refused'];
    const count = Math.ceil(types.length / TYPES_IN_ROW);
    return Array.from({ length: count }, (_, row) => [
      ...facts.map((fact) => (row === 0 ? fact : '')),
      types
        .slice(row * TYPES_IN_ROW, (row + 1) * TYPES_IN_ROW)
        .map((type) => `\`${type}\``)
        .join(' '),
    ]);
  });
  return markdownTable(['the class is', 'works or refused', '`model_type`'], rows);
}
