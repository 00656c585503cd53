/** Every class of chat models, on a graph whose answer is a sum over all that it received. */
import { describe, expect, it } from 'vitest';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { collectEvents, piecesOf } from '../../../support/token-events.js';
import { type DecoderCase, FORM_CASES } from './decoder-forms.js';
import { expectedTokens, received, VOCABULARY } from './made-decoder.js';
import { madeModel, type RepositoryFiles } from './made-model.js';
import { lookAtPictures } from './look-at-pictures.js';
import type { Picture } from './pictures.js';

/** Longer than a block of a prompt. */
const PROMPT = Array.from({ length: 130 }, (_, at) => (at * at * 5 + at * 3 + 1) % VOCABULARY);

/** What a realm does for these tests. */
export interface Realm {
  /** Loads a model of these files. */
  load: (name: string, files: RepositoryFiles) => Promise<TextModel>;
  /** A picture as a file that the realm can read. */
  draw: (picture: Picture) => Promise<Blob>;
  /** Whether it computes with 16-bit floats. @default true */
  halfFloats?: () => Promise<boolean>;
  /** The classes that it tries, beside all forms of export. */
  classes: readonly DecoderCase[];
  /** Tokens of an answer, at least 2. */
  count: number;
}

/** One of several files that share the table. */
export interface TablePart {
  /** From 0. */
  part: number;
  of: number;
}

/** @param share of the table. @default all of it */
export function describeDecoders(
  { load, draw, halfFloats, classes, count }: Realm,
  { part, of }: TablePart = { part: 0, of: 1 },
): void {
  describe.each([
    ['every class of chat models gets what it is given', classes],
    ['every form of export does, too', FORM_CASES],
  ])('%s', (_, all) => {
    const cases = all.filter((__, index) => index % of === part);
    it.each(cases.map((each) => [each.title, each] as const))('%s', async (title, each) => {
      const loading = load(title.replaceAll(/\W+/g, '-'), madeModel(each));
      if (each.form.halfCache && (await halfFloats?.()) === false) return isRefused(loading);
      const model = await loading;
      try {
        const { given, expected } = await converse(model, each, count);
        expect(given).toEqual(expected);
        expect(model.info.images).toBe(each.seeing !== undefined);
        if (each.seeing) await lookAtPictures(model, each.form, each.seeing, { draw, count });
      } finally {
        await model.unload();
      }
    });
  });
}

async function isRefused(loading: Promise<TextModel>): Promise<void> {
  await expect(loading).rejects.toMatchObject({ code: 'insufficient_resources', param: 'device' });
}

/** What the model says to several prompts, one after the other, and what it should. */
async function converse(
  model: TextModel,
  { form }: DecoderCase,
  count: number,
): Promise<{ given: object; expected: object }> {
  const first = expectedTokens(form, received(form, PROMPT), count);
  const longer = [...PROMPT, ...first, 3, 1, 4, 1, 5, 9, 2, 6];
  const prompts = {
    'a prompt': PROMPT,
    'the same again': PROMPT,
    'the conversation goes on': longer,
    'another begins alike': [...PROMPT.slice(0, 100), 2, 7, 1, 8],
    'drafts are checked': Array.from({ length: 60 }, (_, at) => at % 4),
  };
  const given: Record<string, unknown> = {};
  for (const [name, prompt] of Object.entries(prompts)) {
    const { tokens, cached } = await answer(model, prompt, count);
    given[name] = tokens;
    if (prompt === longer) given['it was continued'] = cached === 0 ? false : cached >= PROMPT.length || cached;
  }
  given['two choices'] = (await answer(model, PROMPT, count, 2)).tokens;
  const answers = Object.entries(prompts).map(([name, prompt]) => [
    name,
    expectedTokens(form, received(form, prompt), count),
  ]);
  const continues = !form.noCache && !form.prefix && !form.oneTokenStates;
  const expected = {
    ...Object.fromEntries(answers),
    'it was continued': continues,
    'two choices': [...first, ...first],
  };
  return { given, expected };
}

/** Greedy. */
async function answer(
  model: TextModel,
  ids: number[],
  maxTokens: number,
  n = 1,
): Promise<{ tokens: number[]; cached: number }> {
  const request = { ...plainGenerationRequest('made', { type: 'tokens', ids }), maxTokens, n };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const pieces = piecesOf(events);
  const tokens = Array.from({ length: n }, (_, choice) => pieces.filter((piece) => piece.choice === choice))
    .flat()
    .map(({ token }) => token ?? -1);
  const cached = events.flatMap((event) => (event.type === 'prompt' ? [event.cachedTokens] : []));
  return { tokens, cached: cached[0]! };
}
