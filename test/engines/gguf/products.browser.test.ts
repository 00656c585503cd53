import { describe } from 'vitest';
import { testProducts } from './support/products-suite.js';

describe.each(['relaxed', 'pairs', 'plain'] as const)('build %s', (build) => {
  testProducts(build);
});
