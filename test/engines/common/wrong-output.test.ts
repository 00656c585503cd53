/** Models that compute, but whose outputs cannot be an answer: each is an error that says what is wrong. */
import { describe, expect, it } from 'vitest';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import { createTensor, type OnnxSession } from '../../../src/engines/transformers/ort/onnx-session.js';
import { chooseToken } from '../../../src/engines/transformers/speech/choose-token.js';
import { ForwardPass } from '../../../src/engines/transformers/text/forward-pass.js';
import { runFailure } from '../../../src/engines/common/run-failure.js';
import { createVoiceModel } from '../../../src/sound/voice/create-voice-model.js';
import { WrongOutput } from '../../../src/core/errors/wrong-output.js';
import { collectEvents } from '../../support/token-events.js';
import { fakeTextEngine } from '../../language/decoding/fake-text-engine.js';

const signal = new AbortController().signal;
const wrong = (what: RegExp) =>
  expect.objectContaining({ code: 'model_not_supported', message: expect.stringMatching(what) as string });

describe('a chat model', () => {
  const generate = (value: number, more: object, picks = false) => {
    const engine = fakeTextEngine({ logits: (_, logits) => void logits.fill(value), picks });
    const info = { device: 'none', threads: 1 } as const;
    const model = createTextModel(engine, { info, unload: async () => {} });
    const request = { ...plainGenerationRequest('fake', { type: 'raw', text: 'x' }), ...more };
    return collectEvents(model.generate(request, signal));
  };

  it.each([NaN, -Infinity])('all of whose logits are %s', async (value) => {
    for (const sampling of [{}, { temperature: 1 }, { temperature: 1, topK: 5 }, { logitBias: { 97: 1 } }]) {
      for (const picks of [false, true]) {
        await expect(generate(value, { sampling }, picks)).rejects.toEqual(wrong(/has the logit NaN or -Infinity/));
      }
    }
  });

  it.each([NaN, -Infinity, Infinity])('that has no log-probabilities, because its logits are %s', async (value) => {
    await expect(generate(value, { topLogprobs: 2 })).rejects.toEqual(wrong(/NaN or infinite/));
  });

  it.each([
    ['too few places', [1, 1, 4]],
    ['no vocabulary', [1, 3, 0]],
    ['one row for two', [3, 4]],
    ['more rows', [2, 3, 4]],
  ])('whose graph gives %s', async (_, dims) => {
    const session: OnnxSession = {
      inputNames: ['input_ids'],
      outputNames: ['logits'],
      inputMetadata: [],
      run: async () => {
        const size = dims.reduce((product, dim) => product * dim, 1);
        return { logits: createTensor('float32', new Float32Array(size), dims) };
      },
    };
    const forward = new ForwardPass(session, { firstPosition: 0, vocabularySize: 4 });
    const pass = forward.run([{ tokens: [1, 2, 3], past: 0 }], forward.emptyState(), {
      keep: 2,
      needs: [{ type: 'all' }],
    });
    await expect(pass).rejects.toEqual(wrong(new RegExp(`shape \\[${dims.join(', ')}\\] instead of \\[1, 3, vocab`)));
  });
});

it.each([
  ['NaN', [NaN, NaN, NaN]],
  ['partly NaN', [1, NaN, 3]],
  ['-Infinity', [-Infinity, -Infinity, -Infinity]],
  ['Infinity', [1, Infinity, 3]],
  ['missing', [1]],
])('a speech-to-text model whose logits are %s', (_, logits) => {
  const choose = () => chooseToken(Float32Array.from(logits), 3, new Set());
  expect(choose).toThrow(expect.objectContaining({ code: 'model_not_supported' }));
});

it('a voice whose samples are not numbers', async () => {
  const engine = {
    sampleRate: 24_000,
    voices: [{ id: 'a', name: 'a', language: null }],
    countTokens: async () => 1,
    speak: async () => Float32Array.of(0, NaN, 0),
  };
  const model = createVoiceModel(engine, {
    info: { device: 'none', threads: 1, contextLength: 100 },
    unload: async () => {},
  });
  const request = { model: 'm', input: 'Hi.', voice: 'a', format: 'wav', speed: 1, seed: 1 } as const;
  await expect(collectEvents(model.speak!(request, signal) as never)).rejects.toEqual(wrong(/the sound contains NaN/));
});

it('the error names the model', () => {
  expect(runFailure(new WrongOutput('its logits are NaN'), { id: 'm' })).toMatchObject({
    code: 'model_not_supported',
    message: 'The model `m` cannot answer, because its outputs are wrong. Its logits are NaN.',
    details: { model: 'm', permanent: true },
  });
});
