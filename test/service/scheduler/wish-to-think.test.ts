/** What a model can grant of a wish to think. */
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import { canThink, withThinking } from '../../../src/service/scheduler/wish-to-think.js';

const entry = (fields: Partial<ModelEntry>): ModelEntry => ({ id: 'm', task: 'chat', backend: 'gguf', ...fields });
const asked = (fields: Partial<GenerationRequest>): GenerationRequest => ({
  ...plainGenerationRequest('m', { type: 'chat', messages: [] }),
  ...fields,
});

describe('a wish to think', () => {
  it('is what the loaded model says, before that what its entry says', () => {
    expect(canThink(entry({}), undefined)).toBeUndefined();
    expect(canThink(entry({ reasoningFormat: 'think-tags' }), undefined)).toBe(true);
    expect(canThink(entry({}), 'none')).toBe(false);
    expect(canThink(entry({}), 'think-tags')).toBe(true);
    expect(canThink(entry({ backend: 'upstream' }), 'none')).toBeUndefined();
  });

  it('is granted where the model can, and dropped or refused where it cannot', () => {
    const wish = asked({ thinking: 'if-able', reasoning: { effort: 'low' } });
    const thinker = { reasoningFormat: 'think-tags' } as const;
    const plain = { reasoningFormat: 'none' } as const;
    expect(withThinking(wish, entry({}), thinker).reasoning).toEqual({ effort: 'low', enabled: true });
    expect(withThinking(wish, entry({}), plain)).toEqual(asked({}));
    expect(() => withThinking({ ...wish, thinking: 'required' }, entry({}), plain)).toThrow(
      'does not support reasoning',
    );
    expect(withThinking(asked({}), entry({}), plain)).toEqual(asked({}));
  });

  it('is sent to a remote service only where it was asked for', () => {
    const remote = entry({ backend: 'upstream' });
    const format = { reasoningFormat: 'none' } as const;
    expect(withThinking(asked({ thinking: 'if-able' }), remote, format).reasoning).toEqual({});
    expect(withThinking(asked({ thinking: 'required' }), remote, format).reasoning).toEqual({ enabled: true });
  });
});
