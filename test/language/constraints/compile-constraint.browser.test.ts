import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonSchema } from '../../../src/language/constraints/check-json-schema.js';
import { type ConstrainedModel, compileConstraint } from '../../../src/language/constraints/compile-constraint.js';
import { conformsToSchema } from './support/conforms-to-schema.js';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { arbitrarySchema } from './support/arbitrary-schema.js';
import { ask } from './support/ask.js';
import { tinyChatTokenizer } from './support/tiny-chat-tokenizer.js';
import { type Walk, randomWalk, seededRandom } from './support/walk.js';
import { rounds } from '../../support/rounds.js';

const SCHEMAS = rounds(60, 200);

async function tinyChat(): Promise<ConstrainedModel> {
  return {
    tokenizer: await tinyChatTokenizer(),
    toolFormat: 'hermes',
    reasoningFormat: 'think-tags',
    reasoningOpen: false,
  };
}

async function walkOf(model: ConstrainedModel, schema: JsonSchema, seed: number, jump = true): Promise<Walk> {
  const compiled = await compileConstraint(
    ask({ output: { type: 'json-schema', name: 'x', schema, strict: seed % 2 === 0 } }),
    model,
  );
  const state = compiled!.start();
  try {
    return randomWalk(model.tokenizer, state, { random: seededRandom(seed), jump });
  } finally {
    state.dispose();
    compiled!.dispose();
  }
}

describe('compileConstraint', () => {
  it('[C38] json_object: every walk through the grammar is a JSON object', async () => {
    const model = await tinyChat();
    const n = rounds(10, 30);
    const compiled = await compileConstraint(ask({ output: { type: 'json-object' }, n }), model);
    for (let seed = 0; seed < n; seed += 1) {
      const state = compiled!.start();
      const walk = randomWalk(model.tokenizer, state, { random: seededRandom(seed) });
      state.dispose();
      expect(walk.complete).toBe(true);
      const value: unknown = JSON.parse(walk.text);
      expect(typeof value === 'object' && value !== null && !Array.isArray(value)).toBe(true);
    }
    compiled!.dispose();
  });

  it('[C39] json_schema: walks through the grammars of random schemas conform', async () => {
    const model = await tinyChat();
    let seed = 0;
    let complete = 0;
    await fc.assert(
      fc.asyncProperty(arbitrarySchema, async (schema) => {
        checkJsonSchema(schema, 'schema');
        seed += 1;
        const walk = await walkOf(model, schema, seed, seed % 3 !== 0);
        if (!walk.complete) return;
        complete += 1;
        const value: unknown = JSON.parse(walk.text);
        if (!conformsToSchema(value, schema)) throw new Error(`Does not conform: ${walk.text}`);
      }),
      { numRuns: SCHEMAS, seed: 7, endOnFailure: true },
    );
    expect(complete).toBeGreaterThan(0.95 * SCHEMAS);
  });
});
