/** What an entry can say of a model of embeddings. Public. @module */
import * as v from 'valibot';

/** @internal In the order in which the results of several are joined, which is that of sentence-transformers. */
export const POOLINGS = ['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken'] as const;

/**
 * How one vector is made of those of a text's tokens, in the names of sentence-transformers: the first one (`cls`), the last
 * one (`lasttoken`), the greatest number of each place (`max`), the mean, the sum over the root of the count
 * (`mean_sqrt_len_tokens`), or a mean in which later tokens weigh more (`weightedmean`).
 */
export type Pooling = (typeof POOLINGS)[number];

/** @internal */
export const INPUTS = v.record(
  v.string(),
  v.pipe(v.number('an object of numbers'), v.finite('an object of numbers')),
  'an object of numbers',
);
