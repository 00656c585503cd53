/** Which policies keep WASM from being compiled, and workers from being started. */
import { expect, it } from 'vitest';
import { refusesTrustedTypes, refusesWasm } from '../../../src/page/diagnosis/file-checks.js';

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

it.each([
  ["script-src 'self'", false],
  ['trusted-types app', false],
  ["require-trusted-types-for 'script'", false],
  ["require-trusted-types-for 'script'; trusted-types app inpage 'allow-duplicates'", false],
  ["require-trusted-types-for 'script'; trusted-types *", false],
  ["require-trusted-types-for 'script'; Trusted-Types app", true],
  ["require-trusted-types-for 'script'; trusted-types 'none'", true],
  ["require-trusted-types-for 'script', trusted-types app", true],
])('Trusted Types, %s: %s', (policy, refused) => {
  expect(refusesTrustedTypes(policy)).toBe(refused);
});
