import { describe, expect, it } from 'vitest';
import { Catalog } from '../../../src/core/models/catalog.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import type { Prompt } from '../../../src/core/request/generation-request.js';
import { transcribeAudioParts } from '../../../src/service/scheduler/transcribe-audio-parts.js';

const far: ModelEntry = { id: 'far', task: 'speech-to-text', backend: 'upstream', source: 'https://remote.test/v1' };
const near: ModelEntry = { id: 'near', task: 'speech-to-text', backend: 'scripted' };
const prompt: Prompt = {
  type: 'chat',
  messages: [{ role: 'user', content: [{ type: 'audio', mediaType: undefined, bytes: new Uint8Array(1) }] }],
};

/** Which model hears the sound of a prompt to a chat model of this backend. */
async function hearer(backend: ModelEntry['backend'], speech: ModelEntry[]): Promise<string> {
  const chat: ModelEntry = { id: 'chat', task: 'chat', backend };
  let heardBy = 'nobody';
  await transcribeAudioParts(prompt, chat, new Catalog([chat, ...speech]), async function* ({ model }) {
    heardBy = model;
    yield { type: 'delta', text: '' };
  });
  return heardBy;
}

describe('sound in a conversation', () => {
  it('of a model on the device stays there', async () => {
    expect(await hearer('scripted', [far, near])).toBe('near');
    await expect(hearer('scripted', [far])).rejects.toMatchObject({ code: 'unsupported_content' });
  });

  it('of an upstream model may leave it', async () => {
    expect(await hearer('upstream', [far, near])).toBe('far');
    expect(await hearer('upstream', [near])).toBe('near');
  });
});
