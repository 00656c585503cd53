/** The table of recommended models, from the list that `recommendedModels` reads. @module */
import { LISTED_MODELS } from '../../src/core/models/listed-models.js';
import { markdownTable } from './markdown-table.js';

/** In the order of the list. */
export function recommendedTable(): string {
  const rows = LISTED_MODELS.map((model) => {
    const { source, task, backend, overview, languages, megabytes, gpuMemoryMB, contextLength, license, figures } =
      model;
    const sizes = Object.entries(megabytes).map(([dtype, size]) => `${dtype} ${size}`);
    const memory = gpuMemoryMB === undefined ? '' : ` (${gpuMemoryMB} MB of GPU memory)`;
    const what = `${overview} Languages: ${languages}.`;
    return [`\`${source}\``, task, backend, what, sizes.join(', ') + memory, `${contextLength}`, license, figures.date];
  });
  return markdownTable(
    ['`source`', 'task', '`backend`', 'for', 'MB of weights', 'context', 'license', 'sizes of'],
    rows,
  );
}
