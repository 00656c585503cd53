import { describe } from 'vitest';
import { testElementwise } from './support/elementwise-suite.js';

describe.each(['relaxed', 'pairs', 'plain'] as const)('build %s', (build) => {
  testElementwise(build);
});
