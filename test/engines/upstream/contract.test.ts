import { afterAll, beforeEach, vi } from 'vitest';
import { describeBackend } from '../../contract/backend-contract.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { loadUpstream, type Remote, stubFetch } from './through-app.js';

/** Scripted models count 4096 tokens of context. */
const CONTEXT_LENGTH = 4096;

let remote: Remote;
// Stubs last for a test, the model for all.
beforeEach(() => void stubFetch(remote));
afterAll(() => void vi.unstubAllGlobals());

describeBackend('an upstream model', {
  async load() {
    const text = 'I am the model behind the other one, and I have a lot to say about it. ';
    const { app } = await buildApp({
      models: [scriptedChat({ id: 'far', script: { replies: [{ text, repeat: 9 }] } })],
    });
    remote = app;
    stubFetch(remote);
    return loadUpstream({ contextLength: CONTEXT_LENGTH });
  },
  skip: [
    { reason: 'a script leaves nothing to chance', tests: ['says other things with other seeds'] },
    {
      reason: 'the service decides by itself',
      tests: [
        '[D07] decides alike alone, in company, in any order, and when asked again',
        '[D08] finds the input in the prefix cache when it is asked again',
        '[D15] is free again when decisions are aborted',
      ],
    },
    {
      reason: 'the service counts the prompt at the end',
      tests: ['tells the prompt first, then tokens, and one end', 'takes a raw prompt'],
    },
    {
      reason: 'the service does not count without answering',
      tests: ['counts the tokens of a prompt as it reads them'],
    },
    { reason: 'the service does not say which one', tests: ['ends at a stop sequence, which the text omits'] },
    {
      reason: 'the service tells no token ids',
      tests: ['a bias of +100 makes a token win at every step', 'a bias of -100 forbids a token'],
    },
  ],
});
