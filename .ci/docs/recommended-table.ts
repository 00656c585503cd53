/** The table of recommended models, from the list that `recommendedModels` reads. @module */
import { LISTED_MODELS } from '../../src/core/models/recommended-models.js';
import { markdownTable } from './markdown-table.js';

/** In the order of the list. */
export function recommendedTable(): string {
  const rows = LISTED_MODELS.map(({ source, task, overview, megabytes, contextLength, license }) => {
    const sizes = Object.entries(megabytes).map(([dtype, size]) => `${dtype} ${size}`);
    return [`\`${source}\``, task, overview, sizes.join(', '), String(contextLength), license];
  });
  return markdownTable(['`source`', 'task', 'for', 'MB of weights', 'context', 'licence'], rows);
}
