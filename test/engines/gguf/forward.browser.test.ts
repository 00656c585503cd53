import { describe } from 'vitest';
import { testForward } from './support/forward-suite.js';

describe.each(['relaxed', 'pairs', 'plain'] as const)('build %s', (build) => {
  testForward(build);
});
