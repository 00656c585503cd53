/** The built module for all contexts of an extension but the host's. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const dist = join(import.meta.dirname, '../../dist');

it('[Z01] it is one small static module that nothing else loads, and needs no browser to be imported', () => {
  const code = readFileSync(join(dist, 'extension.js'), 'utf8');
  expect(code).not.toMatch(/\bimport\b\s*[("'{*\w]|\beval\b|\bFunction\s*\(/);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(12_000);
  const names = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `console.log(Object.keys(await import(${JSON.stringify(join(dist, 'extension.js'))})).join())`,
    ],
    { encoding: 'utf8' },
  );
  expect(names.trim().split(',').toSorted()).toEqual([
    'allowedOrigins',
    'bridgePage',
    'connectInference',
    'consentRequest',
    'keepInferenceHost',
    'revokeOrigin',
  ]);
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const loading = scripts.filter((name) =>
    /["'][./]*extension(?:-host)?\.js["']/.test(readFileSync(join(dist, name), 'utf8')),
  );
  expect(loading).toEqual([]);
});
