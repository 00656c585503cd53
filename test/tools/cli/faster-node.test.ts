import { expect, it } from 'vitest';
import { fasterNode } from '../../../src/tools/cli/faster-node.js';

it.each([
  ['20.19.0', 'Node 24 reads prompts of GGUF models about twice as fast as Node 20 does.'],
  ['22.12.0', 'Node 24 reads prompts of GGUF models up to 1.5 times as fast as Node 22 does.'],
  ['24.0.0', undefined],
  ['26.1.0', undefined],
])('Node %s is told of a faster one, if there is one', (version, said) => {
  expect(fasterNode(version)).toBe(said);
});
