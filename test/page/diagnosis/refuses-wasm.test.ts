/** Which policies keep WASM from being compiled. */
import { expect, it } from 'vitest';
import { refusesWasm } from '../../../src/page/diagnosis/file-checks.js';

it.each([
  ["script-src 'self' 'wasm-unsafe-eval'", false],
  ["default-src 'self'; script-src 'self' 'unsafe-eval'", false],
  ["worker-src 'none'", false],
  ["script-src 'self'", true],
  ["default-src 'self'; connect-src *", true],
  ["default-src 'wasm-unsafe-eval'; Script-Src 'self'", true],
  // Two headers come joined, and each must allow it.
  ["script-src 'self' 'wasm-unsafe-eval', script-src 'self'", true],
])('%s: %s', (policy, refused) => {
  expect(refusesWasm(policy)).toBe(refused);
});
