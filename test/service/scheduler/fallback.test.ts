import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../../src/core/errors/inference-error.js';
import { Catalog } from '../../../src/core/models/catalog.js';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { Scheduler } from '../../../src/service/scheduler/scheduler.js';
import { scriptedChat } from '../../support/build-app.js';
import { inProcessHost } from '../../support/in-process-host.js';
import { collectEvents } from '../../support/token-events.js';

/** A scheduler whose device is too small for `large`, and how often each model was tried. */
function smallDevice() {
  const tries: string[] = [];
  const device = { fits: false };
  const host = inProcessHost();
  const inference = new Scheduler({
    catalog: new Catalog([
      scriptedChat({ id: 'large', fallback: 'small' }),
      scriptedChat({ id: 'small', script: { replies: [{ text: 'I am small.' }] } }),
    ]),
    host: {
      async start(entry, options) {
        tries.push(entry.id);
        if (entry.id === 'large' && !device.fits)
          throw new InferenceError('insufficient_resources', 'The device has too little memory.');
        return host.start(entry, options);
      },
    },
    requestTimeout: 20,
  });
  const ask = async (): Promise<string> => {
    const request = plainGenerationRequest('large', {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    let text = '';
    const options = { signal: new AbortController().signal, deadline: 'result' } as const;
    for (const event of await collectEvents(inference.generate(request, options)))
      if (event.type === 'text-delta') text += event.text;
    return text;
  };
  return { inference, tries, device, ask };
}

describe('a model that this device cannot run', () => {
  it('is tried once; then its fallback answers at once', async () => {
    const { tries, ask } = smallDevice();
    for (let request = 0; request < 3; request += 1) expect(await ask()).toBe('I am small.');
    expect(tries).toEqual(['large', 'small']);
  });

  it.each(['load', 'unload'] as const)('is tried again after an explicit %s', async (operation) => {
    const { inference, tries, device, ask } = smallDevice();
    await ask();
    device.fits = true;
    await inference[operation]('large');
    expect(await ask()).toBe('Hello there, friend.');
    expect(tries).toEqual(['large', 'small', 'large']);
  });

  it('fails for another reason than its size without asking the fallback, and is tried anew', async () => {
    let starts = 0;
    const inference = new Scheduler({
      catalog: new Catalog([scriptedChat({ id: 'large', fallback: 'small' }), scriptedChat({ id: 'small' })]),
      host: {
        start: async (entry) => {
          starts += 1;
          throw new InferenceError('unavailable', `No ${entry.id} today.`);
        },
      },
      requestTimeout: 20,
    });
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(inference.load('large')).rejects.toMatchObject({ code: 'unavailable', message: 'No large today.' });
    expect(starts).toBe(2);
  });
});
