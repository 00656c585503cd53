/** What a terminal gets of texts that pages and services wrote. */
import { afterEach, expect, it, vi } from 'vitest';
import { print, printError } from '../../../src/tools/cli/print.js';
import { runProgram } from '../../../src/tools/cli/run-program.js';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = 0;
});

function written(stream: NodeJS.WriteStream): () => string {
  const spy = vi.spyOn(stream, 'write').mockReturnValue(true);
  return () => spy.mock.calls.map(([text]) => String(text)).join('');
}

it('shows escape sequences and does not pass them on', async () => {
  const [out, err] = [written(process.stdout), written(process.stderr)];
  print('a\u001b[2Jb\u009b31mc\rd\u0007\u202ee\tf\nÄ 😀\n');
  expect(out()).toBe('a\\u001b[2Jb\\u009b31mc\\u000dd\\u0007\\u202ee\tf\nÄ 😀\n');
  printError('\u001bc');
  await runProgram('inpage', () => Promise.reject(new Error('its models: \u001b]52;c;eA==\u0007')));
  expect(err()).toBe('\\u001bcinpage: its models: \\u001b]52;c;eA==\\u0007\n');
});

it('leaves JSON as it means', () => {
  const out = written(process.stdout);
  const text = 'a\u001b\u009b\u2028\u202e';
  print(JSON.stringify({ text }));
  expect(out()).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(out())).toEqual({ text });
});
