import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { describeBackend } from '../../contract/backend-contract.js';

const entry: ModelEntry = {
  id: 'script',
  task: 'chat',
  backend: 'scripted',
  script: { replies: [{ text: 'I am a script, not a model: I say what I was told to say, 😀 and nothing else.' }] },
};

describeBackend('scripted', {
  load: () =>
    scriptedBackend.load(entry, {
      onProgress: () => {},
      signal: new AbortController().signal,
      assetsURL: 'http://localhost/assets/',
      pageURL: 'http://localhost/',
    }),
  skip: [
    { reason: 'a script leaves nothing to chance', tests: ['says other things with other seeds'] },
    { reason: 'a script reads nothing', tests: ['[D08] finds the input in the prefix cache when it is asked again'] },
  ],
});
