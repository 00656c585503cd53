/** What users of other runtimes reported, with the values that are right. See decision "Reports". @module */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type InferenceError, isInferenceError } from '../../../../src/core/errors/inference-error.js';
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

function grammarOrRefusal(schema: JsonSchema): string | InferenceError {
  try {
    return grammarOf(schema);
  } catch (error) {
    if (isInferenceError(error)) return error;
    throw error;
  }
}

/** What is wrong with how a schema is taken. */
async function faultsOf(schema: JsonSchema, { can, cannot, orRefused, refused, named }: Case): Promise<string[]> {
  const grammar = grammarOrRefusal(schema);
  const mustRefuse = refused ?? named;
  if (typeof grammar !== 'string') {
    const right = orRefused ?? mustRefuse;
    const isRight = right !== undefined && grammar.code === 'invalid_request' && grammar.message.includes(right);
    return isRight ? [] : [`refused: ${grammar.message}`];
  }
  if (mustRefuse !== undefined) return ['is not refused'];
  const allows = await accepting(grammar);
  const faults: string[] = [];
  for (const value of can) if (!(await allows(JSON.stringify(value)))) faults.push(`never ${JSON.stringify(value)}`);
  for (const value of cannot) if (await allows(JSON.stringify(value))) faults.push(`also ${JSON.stringify(value)}`);
  return faults;
}

describe('[C81] schemas', () => {
  it.each(read<{ schema: JsonSchema }>('schemas.json'))('$id', async (each) => {
    expect(await faultsOf(each.schema, each)).toEqual([]);
  });
});

describe('[C79] patterns', () => {
  it.each(read<{ pattern: string; minLength?: number; maxLength?: number }>('patterns.json'))(
    '$id $pattern',
    async (each) => {
      const { pattern, minLength, maxLength } = each;
      expect(
        await faultsOf(
          { type: 'string', pattern, ...(minLength && { minLength }), ...(maxLength && { maxLength }) },
          each,
        ),
      ).toEqual([]);
    },
  );
});

describe('[C80] formats', () => {
  it.each(read<{ format: string; with?: object }>('formats.json'))('$id $format', async (each) => {
    expect(await faultsOf({ type: 'string', format: each.format, ...each.with }, each)).toEqual([]);
  });
});
