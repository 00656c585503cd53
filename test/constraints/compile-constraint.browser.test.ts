import { describe, expect, it } from 'vitest';
import { compileConstraint } from '../../src/constraints/compile-constraint.js';
import { validateAgainstSchema } from '../../src/constraints/validate-against-schema.js';
import { plainGenerationRequest, type GenerationRequest } from '../../src/request/generation-request.js';
import { tinyChatTokenizer } from './support/tiny-chat-tokenizer.js';
import { randomWalk, seededRandom } from './support/walk.js';

const ask = (more: Partial<GenerationRequest>): GenerationRequest => ({
  ...plainGenerationRequest('tiny-chat', { type: 'chat', messages: [] }),
  ...more,
});

describe('compileConstraint', () => {
  it('[C38] json_object: every walk through the grammar is a JSON object', async () => {
    const tokenizer = await tinyChatTokenizer();
    const model = { tokenizer, toolFormat: 'hermes', reasoningFormat: 'think-tags', reasoningOpen: false } as const;
    for (let seed = 0; seed < 20; seed += 1) {
      const compiled = await compileConstraint(ask({ output: { type: 'json-object' } }), model);
      const state = compiled!.start();
      const walk = randomWalk(tokenizer, state, { random: seededRandom(seed) });
      state.dispose();
      compiled!.dispose();
      if (seed < 5) console.log(walk.text.slice(0, 300), walk.forced, walk.tokens.length);
      expect(walk.complete).toBe(true);
      expect(JSON.parse(walk.text)).toBeTypeOf('object');
    }
  });
  it('schema', async () => {
    const tokenizer = await tinyChatTokenizer();
    const model = { tokenizer, toolFormat: 'hermes', reasoningFormat: 'think-tags', reasoningOpen: false } as const;
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', maxLength: 10 },
        age: { type: 'integer', minimum: 3, maximum: 117 },
        tags: { type: 'array', items: { enum: ['a', 'b', 3] }, maxItems: 3 },
        x: { anyOf: [{ type: 'null' }, { type: 'number', exclusiveMinimum: -2.5, maximum: 10 }] },
      },
      required: ['name', 'age', 'x'],
      additionalProperties: false,
    };
    for (let seed = 0; seed < 20; seed += 1) {
      const compiled = await compileConstraint(
        ask({ output: { type: 'json-schema', name: 'x', strict: true, schema } }),
        model,
      );
      const state = compiled!.start();
      const walk = randomWalk(tokenizer, state, { random: seededRandom(seed) });
      state.dispose();
      compiled!.dispose();
      if (seed < 8) console.log(walk.text.slice(0, 300), walk.forced, walk.tokens.length);
      expect(walk.complete).toBe(true);
      expect(validateAgainstSchema(JSON.parse(walk.text), schema)).toBe(true);
    }
  });
});
