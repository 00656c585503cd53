/**
 * Property tests draw the same examples in every run, so that what fails is what was changed. `FAST_CHECK_SEED=random`, or
 * a number that a report names, draws others.
 * @module
 */
import * as fc from 'fast-check';

const { FAST_CHECK_SEED: seed = '20261122' } = process.env;
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
