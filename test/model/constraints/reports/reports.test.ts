/** What users of other runtimes reported, with the values that are right. See decision "Reports". @module */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isInferenceError } from '../../../../src/core/errors/inference-error.js';
import type { JsonSchema } from '../../../../src/core/request/tool.js';
import { accepting, grammarOf } from '../support/engine-accepts.js';

/** `can` and `cannot` be written; or the message of a refusal has this in it. */
interface Case {
  id: string;
  can: unknown[];
  cannot: unknown[];
  orRefused?: string;
  refused?: string;
  named?: string;
}

function read<T>(file: string): (Case & T)[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return (JSON.parse(text) as { cases: (Case & T)[] }).cases;
}

async function check(schema: JsonSchema, { can, cannot, orRefused, refused, named }: Case): Promise<void> {
  let grammar: string;
  try {
    grammar = grammarOf(schema);
  } catch (error) {
    if (!isInferenceError(error)) throw error;
    const right = orRefused ?? refused ?? named;
    if (right === undefined) throw new Error(`Refused: ${error.message}`, { cause: error });
    expect([error.code, error.message]).toEqual(['invalid_request', expect.stringContaining(right)]);
    return;
  }
  expect(refused ?? named).toBeUndefined();
  const allows = await accepting(grammar);
  const written = async (values: unknown[]): Promise<[unknown, boolean][]> =>
    Promise.all(values.map(async (value): Promise<[unknown, boolean]> => [value, await allows(JSON.stringify(value))]));
  expect(await written(can)).toEqual(can.map((value) => [value, true]));
  expect(await written(cannot)).toEqual(cannot.map((value) => [value, false]));
}

describe('[C81] schemas', () => {
  it.each(read<{ schema: JsonSchema }>('schemas.json'))('$id', async (each) => {
    await check(each.schema, each);
  });
});

describe('[C79] patterns', () => {
  it.each(read<{ pattern: string; minLength?: number; maxLength?: number }>('patterns.json'))(
    '$id $pattern',
    async (each) => {
      const { pattern, minLength, maxLength } = each;
      await check({ type: 'string', pattern, ...(minLength && { minLength }), ...(maxLength && { maxLength }) }, each);
    },
  );
});

describe('[C80] formats', () => {
  it.each(read<{ format: string; with?: object }>('formats.json'))('$id $format', async (each) => {
    await check({ type: 'string', format: each.format, ...each.with }, each);
  });
});
