import { describe, expect, it } from 'vitest';
import { checkJsonSchema, checkSchemas } from '../../../src/language/constraints/check-json-schema.js';
import { SCHEMA_WORK, WorkBudget } from '../../../src/core/schema/limits/work-budget.js';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import { ask } from './support/ask.js';
import { arbitrarySchema } from './support/arbitrary-schema.js';
import { HOSTILE_SCHEMAS } from './support/hostile-schemas.js';
import * as fc from 'fast-check';

/** The error that a schema is refused with, or undefined. */
function refusal(check: () => void): { code: string; param: string | undefined; message: string } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isInferenceError(error)) return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
}

describe('hostile schemas', () => {
  it('are at least sixty', () => {
    expect(HOSTILE_SCHEMAS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(HOSTILE_SCHEMAS.map(([name]) => name)).size).toBe(HOSTILE_SCHEMAS.length);
  });

  it.each(HOSTILE_SCHEMAS)('%s: taken or refused within the work of one field', (_, schema) => {
    const work = new WorkBudget();
    const refused = refusal(() => checkJsonSchema(schema, 'tools.0.function.parameters', work));
    // A single step may be large, but never by much of the whole.
    expect(work.spent).toBeLessThan(SCHEMA_WORK * 1.1);
    if (refused === undefined) return;
    expect(refused.code).toBe('invalid_request');
    expect(refused.param).toMatch(/^tools\.0\.function\.parameters/);
    expect(refused.message.length).toBeLessThan(1_000);
  });

  it('share the work of one request, however many tools there are', () => {
    const parameters = HOSTILE_SCHEMAS.find(([name]) => name === 'oneOf of 400 ranges')![1] as Record<string, unknown>;
    const tools = Array.from({ length: 128 }, (_, index) => ({
      name: `tool${index}`,
      parameters,
      param: `tools.${index}.function.parameters`,
    }));
    const refused = refusal(() => checkSchemas(ask({ tools })));
    expect(refused).toMatchObject({ code: 'invalid_request', param: expect.stringMatching(/^tools\.\d\./) });
    expect(refused?.message).toContain('too much work');
  });

  it('leave room for a hundred real ones', () => {
    const work = new WorkBudget();
    const schemas = fc.sample(arbitrarySchema, { numRuns: 40, seed: 5 });
    for (const schema of schemas) checkJsonSchema(schema, 'schema', work);
    for (let index = 0; index < 60; index += 1) {
      const properties = {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer' },
      };
      checkJsonSchema({ type: 'object', properties, required: ['city'] }, 'schema', work);
    }
    expect(work.spent).toBeLessThan(SCHEMA_WORK);
  });

  it('may take constants under patterns, and say why they do not', () => {
    const pattern = '^(a+)+$';
    expect(refusal(() => checkJsonSchema({ const: 'a'.repeat(40), pattern }, 'schema'))).toBeUndefined();
    const refused = refusal(() => checkJsonSchema({ const: `${'a'.repeat(40)}!`, pattern }, 'schema'));
    expect(refused).toMatchObject({ code: 'invalid_request', param: 'schema' });
    const reference = refusal(() => checkJsonSchema({ const: 'aa', pattern: '^(a)\\1$' }, 'schema'));
    expect(reference).toMatchObject({ param: 'schema.pattern', message: expect.stringContaining('back reference') });
  });
});
