import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProved, readResults, readRules } from './rules.js';

const chapters = readRules(readFileSync(join(import.meta.dirname, 'rules.md'), 'utf8'));
const ids = chapters.flatMap((chapter) => chapter.ids);

describe('rules.md', () => {
  it('has rules in the order of their numbers, each once', () => {
    expect(ids.length).toBeGreaterThan(340);
    expect(new Set(ids).size).toBe(ids.length);
    // Only rules that are met are there, so numbers may be missing.
    for (const { letter, ids: own } of chapters) {
      expect(own).toEqual(own.toSorted((one, other) => one.localeCompare(other)));
      expect(own.filter((id) => !id.startsWith(letter))).toEqual([]);
    }
    expect(new Set(chapters.map(({ letter }) => letter)).size).toBe(chapters.length);
  });

  it('has all that decisions.md points to', () => {
    const decisions = readFileSync(join(import.meta.dirname, 'decisions.md'), 'utf8');
    const named = [...decisions.matchAll(/\b[A-Z]\d\d\b/g)].map(([id]) => id);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('has every rule that a test names', () => {
    const root = join(import.meta.dirname, '..');
    // A folder with packages of its own may just be installing them.
    const folders = readdirSync(root).filter((name) => !existsSync(join(root, name, 'package.json')));
    const files = folders.flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => join(folder, file)),
    );
    expect(files.length).toBeGreaterThan(150);
    const unknown = files.flatMap((file) => {
      const titles = readFileSync(join(root, file), 'utf8').matchAll(/['"`]((?:\[[A-Z]\d\d\]\s*)+)/g);
      const named = [...titles].flatMap(([, title]) => [...title!.matchAll(/[A-Z]\d\d/g)].map(([id]) => id));
      return named.filter((id) => !ids.includes(id)).map((id) => `${file}: ${id}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe('a rule', () => {
  const results = (...tests: [title: string, status: string][]) =>
    readResults({
      startTime: 0,
      testResults: [
        { assertionResults: tests.map(([title, status]) => ({ ancestorTitles: ['[S15] streams'], title, status })) },
      ],
    });

  it('is proved by a test that passed', () => {
    expect(isProved('C02', results(['[C01] [C02] is so', 'passed']))).toBe(true);
    expect(isProved('S15', results(['begin', 'passed']))).toBe(true);
    expect(isProved('C03', results(['[C01] speaks of [C03]', 'passed']))).toBe(false);
  });

  it('is not proved by a test that was skipped, nor when another of its tests failed', () => {
    expect(isProved('C01', results(['[C01] is so', 'skipped']))).toBe(false);
    expect(isProved('C01', results(['[C01] is so', 'passed'], ['[C01] is so elsewhere', 'failed']))).toBe(false);
  });
});
