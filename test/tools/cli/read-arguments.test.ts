import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/tools/cli/command.js';
import { readArguments } from '../../../src/tools/cli/read-arguments.js';

const command: Command = {
  summary: '',
  usage: [],
  options: {
    port: { type: 'string', value: 'N', help: '' },
    key: { type: 'boolean', help: '' },
  },
  examples: [],
  run() {},
};
const read = (...args: string[]) => readArguments('inpage serve', command, args);

describe('arguments', () => {
  it('are words and flags in any order; the last of a flag counts', () => {
    const { words, values } = read('a', '--port', '1', '--key', 'b', '--port=2');
    expect(words).toEqual(['a', 'b']);
    expect(values).toMatchObject({ port: '2', key: true });
  });

  it('take every word after -- as it is', () => {
    expect(read('--', '--prot', '-x').words).toEqual(['--prot', '-x']);
  });

  it('know short forms', () => {
    expect(read('-h').values).toMatchObject({ help: true });
    expect(read('-v').values).toMatchObject({ version: true });
  });

  it.each([
    [['--prot', '1'], '`--prot` is not an option of `inpage serve`. Did you mean `--port`?'],
    [['-p', '1'], '`-p` is not an option of `inpage serve`. Known are: --port, --key, --help, --version.'],
    [['--toString'], '`--toString` is not an option of `inpage serve`.'],
    [['--port'], '`--port` needs a value: `--port N`.'],
    [['--port', '--key'], '`--port` needs a value: `--port N`.'],
    [['--key=yes'], '`--key` does not accept a value.'],
  ])('%j is refused', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });
});
