/** The real grammar engine in Node: which texts a grammar lets through. @module */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonSchema } from '../../../../src/core/request/tool.js';
import { type AnswerFormat, answerGrammar } from '../../../../src/language/constraints/answer-grammar.js';
import { ask } from './ask.js';

type Api = typeof import('@mlc-ai/web-xgrammar');

/** The published file is a script in a package of modules, so Node reads a copy whose name says what it is. */
function readApi(): Api {
  const require = createRequire(import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), 'xgrammar-'));
  const copy = join(folder, 'index.cjs');
  copyFileSync(require.resolve('@mlc-ai/web-xgrammar'), copy);
  const api = require(copy) as Api;
  rmSync(folder, { recursive: true });
  return api;
}

let engine: Promise<{ api: Api; compiler: Awaited<ReturnType<Api['GrammarCompiler']['createGrammarCompiler']>> }>;

async function load(): Promise<Awaited<typeof engine>> {
  const api = readApi();
  const info = await api.TokenizerInfo.createTokenizerInfo(['a', ''], 'raw', false, 2, [1]);
  return { api, compiler: await api.GrammarCompiler.createGrammarCompiler(info, false) };
}

/** Tells of texts whether a grammar allows them as a whole. */
export async function accepting(ebnf: string): Promise<(text: string) => Promise<boolean>> {
  engine ??= load();
  const { api, compiler } = await engine;
  const grammar = await compiler.compileGrammar(ebnf);
  return async (text) => {
    const matcher = await api.GrammarMatcher.createGrammarMatcher(grammar, undefined, true);
    const { handle } = matcher as unknown as { handle: { AcceptString(text: string, log: boolean): boolean } };
    const taken = handle.AcceptString(text, false) && matcher.isTerminated();
    matcher.dispose();
    return taken;
  };
}

const format: AnswerFormat = {
  toolFormat: 'hermes',
  reasoningFormat: 'none',
  reasoningOpen: false,
  spacing: 'compact',
  marker: () => undefined,
};

/** The grammar of answers to a schema. @throws InferenceError for a schema that is refused */
export function grammarOf(schema: JsonSchema): string {
  return answerGrammar(ask({ output: { type: 'json-schema', name: 'x', schema, strict: true } }), format);
}
