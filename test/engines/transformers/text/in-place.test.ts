/** Keys and values that are written behind those of earlier tokens, in the same memory of ONNX Runtime's WASM build. */
import { beforeAll, describe, expect, it } from 'vitest';
import { plainGenerationRequest, type GenerationRequest } from '../../../../src/core/request/generation-request.js';
import { quantizeByRow } from '../../../../src/engines/transformers/onnx-file/quantize-by-row.js';
import type { OnnxSession, OnnxTensor } from '../../../../src/engines/transformers/ort/onnx-session.js';
import { collectEvents, piecesOf } from '../../../support/token-events.js';
import { smallModel, smallSession } from '../support/small-q8.js';

type Targets = Readonly<Record<string, OnnxTensor | null>> | undefined;

const NAME = 'present.0.key';
const TOKENS = 60;
const sampling = { temperature: 1, seed: 5 };

describe('keys and values in one buffer', () => {
  let session: OnnxSession;
  /** Of each run. */
  let targets: Targets[] = [];

  beforeAll(async () => {
    const own = await smallSession([quantizeByRow], true);
    const run: OnnxSession['run'] = (feeds, outputs) => {
      targets.push(outputs);
      return own.run(feeds, outputs);
    };
    const { inputNames, outputNames, inputMetadata } = own;
    session = { inputNames, outputNames, inputMetadata, run };
  });

  const say = async (model: ReturnType<typeof smallModel>, text: string, more: Partial<GenerationRequest> = {}) => {
    const request = { ...plainGenerationRequest('m', { type: 'raw', text }), maxTokens: TOKENS, sampling, ...more };
    const events = await collectEvents(model.generate(request, new AbortController().signal));
    return piecesOf(events).map(({ choice, token }) => `${choice}:${token}`);
  };

  it('are moved only when the room ends', async () => {
    targets = [];
    const model = smallModel(session, false);
    await say(model, 'What is the capital of a river?', { n: 2 });
    await model.unload();
    const [first, ...others] = targets.map((target) => target?.[NAME] ?? undefined);
    expect(first).toBeUndefined();
    expect(others.length).toBeGreaterThan(20);
    expect(others).not.toContain(undefined);
    expect(new Set(others).size).toBeLessThanOrEqual(3);
  });

  it('do not change under others that continue from the same prompt', async () => {
    const model = smallModel(session, false);
    const prompt = 'one two three '.repeat(20);
    const texts = [prompt, `${prompt}four`, `${prompt}five six`, prompt];
    const alone: string[][] = [];
    for (const text of texts) {
      const fresh = smallModel(session, false);
      alone.push(await say(fresh, text, { n: 3 }));
      await fresh.unload();
    }
    await say(model, prompt, { maxTokens: 1 });
    // Twice: from what was kept of one prompt, then from what these kept.
    for (let round = 0; round < 2; round++) {
      const said = await Promise.all(texts.map((text) => say(model, text, { n: 3 })));
      expect(said.map((each) => each.toSorted())).toEqual(alone.map((each) => each.toSorted()));
    }
    await model.unload();
  });
});
