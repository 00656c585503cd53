/** Why schemas are turned into grammars here and not by the grammar engine's own converter: see `src/language/constraints/why.md`. */
import { describe, expect, it } from 'vitest';
import { answerGrammar } from '../../../src/language/constraints/answer-grammar.js';
import { dropXgrammar, loadXgrammar } from '../../../src/language/constraints/load-xgrammar.js';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { CONVERTER_TABLE, type Outcome, type TableRow } from './support/converter-table.js';
import { ask } from './support/ask.js';

type Api = Awaited<ReturnType<typeof loadXgrammar>>['api'];
type Grammar = Awaited<ReturnType<Api['Grammar']['fromEBNF']>>;

/** What becomes of a row when this makes its grammar. */
async function outcomeOf(row: TableRow, convert: (api: Api, schema: JsonSchema) => Promise<Grammar>): Promise<Outcome> {
  const module = await loadXgrammar();
  const { api } = module;
  try {
    const grammar = await convert(api, row.schema);
    const allows = (value: unknown) => api.Testings.isGrammarAcceptString(grammar, JSON.stringify(value));
    for (const value of row.good) if (!(await allows(value))) return 'wrong';
    for (const value of row.bad) if (await allows(value)) return 'wrong';
    grammar.dispose();
    return 'right';
  } catch (error) {
    if (isInferenceError(error)) return error.code === 'invalid_request' ? 'refused' : 'wrong';
    dropXgrammar(module);
    return 'aborts';
  }
}

const byLibrary = (api: Api, schema: JsonSchema): Promise<Grammar> =>
  api.Grammar.fromJSONSchema(JSON.stringify(schema), true, undefined, undefined, false);

const byUs = (api: Api, schema: JsonSchema): Promise<Grammar> => {
  const output = { type: 'json-schema', name: 'x', schema, strict: true } as const;
  const format = { toolFormat: 'none', reasoningFormat: 'none', reasoningOpen: false } as const;
  const ebnf = answerGrammar(ask({ output }), { ...format, spacing: 'compact', marker: () => undefined });
  return api.Grammar.fromEBNF(ebnf);
};

describe('36 schemas of clients', () => {
  it.each(CONVERTER_TABLE)('$name: ours is $ours', async (row) => {
    expect(await outcomeOf(row, byUs)).toBe(row.ours);
    expect(['right', 'refused']).toContain(row.ours);
  });

  it.each(CONVERTER_TABLE)('$name: the library is $library', async (row) => {
    expect(await outcomeOf(row, byLibrary)).toBe(row.library);
  });

  it('are as many as the page of reasons says', () => {
    const count = (who: 'ours' | 'library', outcome: Outcome) =>
      CONVERTER_TABLE.filter((row) => row[who] === outcome).length;
    expect(CONVERTER_TABLE).toHaveLength(36);
    expect(count('ours', 'wrong') + count('ours', 'aborts')).toBe(0);
  });
});
