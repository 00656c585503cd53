import { describe } from 'vitest';
import { testAttention } from './support/attention-suite.js';

describe.each(['relaxed', 'pairs'] as const)('build %s', (build) => {
  testAttention(build);
});
