import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ScriptedEntry } from '../../../src/core/models/model-entry.js';
import { addToRecording, readRecording } from '../../../src/serve/recording/recording-file.js';

const folder = mkdtempSync(join(tmpdir(), 'inpage-recording-'));
afterAll(() => rmSync(folder, { recursive: true }));

function entry(id: string, ...requests: string[]): ScriptedEntry {
  const replies = requests.map((request) => ({
    match: `match ${request}`,
    request,
    recorded: [{ afterMs: 1.5, events: [{ type: 'delta' as const, text: request }] }],
  }));
  return { id, task: 'chat', backend: 'scripted', script: { replies } };
}

describe('a recording', () => {
  it('grows, has one answer for each request, the longest match first, and leaves no other file', () => {
    const file = join(folder, 'grows.json');
    expect(addToRecording(file, [entry('a', 'x', 'y')])).toBe(2);
    expect(addToRecording(file, [entry('a', 'longer', 'x'), entry('b', 'z')])).toBe(4);
    const [a, b] = readRecording(file);
    expect(a?.script.replies.map(({ match }) => match)).toEqual(['match longer', 'match x', 'match y']);
    expect(b).toEqual(entry('b', 'z'));
    expect(readdirSync(folder)).toEqual(['grows.json']);
    // A line for each step, so that a change of one shows as one.
    expect(readFileSync(file, 'utf8')).toContain('\n{"afterMs":1.5,"events":[{"type":"delta","text":"x"}]}\n');
  });

  it.each([
    ['{', 'Expected property name'],
    ['{"models": [{"id": "a", "task": "chat", "backend": "scripted"}]}', 'must be a scripted model with a script'],
    ['{"models": [], "prefix": "/v1"}', 'is not a field of a recording'],
    [
      '{"models":[{"id":"a","task":"chat","backend":"scripted","script":{"replies":[{"recorded":[{"afterMs":1,"events":[{"type":"piece"}]}]}]}}]}',
      'must be a recorded event',
    ],
  ])('is refused when it is %s', (text, message) => {
    const file = join(folder, 'wrong.json');
    writeFileSync(file, text);
    expect(() => readRecording(file)).toThrow(message);
    expect(() => addToRecording(file, [])).toThrow(`${file} is not an Inpage recording.`);
    rmSync(file);
  });
});
