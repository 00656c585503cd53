import { describe } from 'vitest';
import { testElementwise } from './support/elementwise-suite.js';

describe('without relaxed SIMD', () => {
  testElementwise('plain');
});
