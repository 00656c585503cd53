/** A seeded fuzz: whatever a grammar writes is judged by another house's validator. @module */
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { combinedSchema } from './support/combined-schema.js';
import { grammarOf } from './support/engine-accepts.js';
import { sampleEbnf } from './support/sample-ebnf.js';
import { seededRandom } from './support/walk.js';
import { rounds } from '../../support/rounds.js';

const SCHEMAS = rounds(150, 6_000);
const TEXTS = 10;

const ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
ajvFormats.default.default(ajv);

function grammarOrRefusal(schema: JsonSchema): string | undefined {
  try {
    return grammarOf(schema);
  } catch (error) {
    if (isInferenceError(error) && error.code === 'invalid_request') return undefined;
    throw error;
  }
}

it(`[C81] ${SCHEMAS} schemas whose parts stand apart: every text conforms`, () => {
  const random = seededRandom(62);
  let written = 0;
  fc.assert(
    fc.property(combinedSchema, (schema) => {
      const grammar = grammarOrRefusal(schema);
      if (grammar === undefined) return;
      written += 1;
      const conforms = ajv.compile(schema as object);
      for (let text = 0; text < TEXTS; text += 1) {
        const value: unknown = JSON.parse(sampleEbnf(grammar, random));
        if (!conforms(value)) throw new Error(`Does not conform: ${JSON.stringify(value)}`);
      }
    }),
    { numRuns: SCHEMAS, seed: 62 },
  );
  // Most can be written: a compiler that refuses all of them would be right, and useless.
  expect(written).toBeGreaterThan(SCHEMAS * 0.5);
}, 120_000);
