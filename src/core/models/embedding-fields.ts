/** What an entry can say of a model of embeddings. Public. @module */
import * as v from 'valibot';
import type { Same } from './option-schema.js';
import { recordOf } from '../schema/record-of.js';

/**
 * How the vectors of a text's tokens become one, by the names of sentence-transformers. `cls` takes the first, `lasttoken`
 * the last, `max` the greatest number of each place. `mean` is the mean, `mean_sqrt_len_tokens` the sum over the root of
 * the count, and in `weightedmean` later tokens weigh more.
 */
export type Pooling = 'cls' | 'max' | 'mean' | 'mean_sqrt_len_tokens' | 'weightedmean' | 'lasttoken';

/** @internal In the order in which the results of several are joined, which is that of sentence-transformers. */
export const POOLINGS = ['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken'] as const;
true satisfies Same<(typeof POOLINGS)[number], Pooling>;

/** @internal */
export const INPUTS = recordOf(
  v.string(),
  v.pipe(v.number('an object of numbers'), v.finite('an object of numbers')),
  'an object of numbers',
);
