/** Classes of embedding and ranking models, on a graph whose output is a sum over all that it received. */
import { describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { MODEL_CLASSES, type ModelClasses } from '../../../../src/engines/transformers/repository/model-classes.js';
import { type OnnxFile, wholeFile } from '../../../support/onnx-file.js';
import { wordTokenizer } from '../support/word-tokenizer.js';
import { decoderForm } from './decoder-forms.js';
import type { TablePart } from './describe-decoders.js';
import { configOf, type RepositoryFiles } from './made-model.js';
import {
  logitOf,
  makeEmbedder,
  makeRanker,
  type ReceivedText,
  type TextForm,
  type TokenInput,
  vectorOf,
} from './made-text-encoder.js';

/** Loads a model of these files in a realm. */
export type LoadEncoder = (task: 'embeddings' | 'rerank', name: string, files: RepositoryFiles) => Promise<LoadedModel>;

const WORDS = Array.from({ length: 16 }, (_, index) => `w${index}`);
const [CLS, SEP, FIRST] = [1, 2, 4];
const { signal } = new AbortController();

/** What the exports of encoders take beside ids and mask. */
const INPUTS: Readonly<Record<string, readonly TokenInput[]>> = {
  albert: ['token_type_ids'],
  bert: ['token_type_ids'],
  convbert: ['token_type_ids'],
  deberta: ['token_type_ids'],
  'deberta-v2': ['token_type_ids'],
  electra: ['token_type_ids'],
  mobilebert: ['token_type_ids'],
  neobert: ['position_ids'],
  nomic_bert: ['token_type_ids'],
  roformer: ['token_type_ids'],
  squeezebert: ['token_type_ids'],
};

const classesOf = (task: ModelEntry['task']) =>
  MODEL_CLASSES.flatMap(({ kind, tasks, types }: ModelClasses) =>
    tasks.includes(task) ? types.map((type) => [type, kind] as const) : [],
  );

/** Positions that begin elsewhere turn all vectors alike, so exports for texts are fed from 0. */
const formOf = (type: string, kind: string): TextForm =>
  kind === 'text encoder' ? { inputs: INPUTS[type] ?? [] } : { ...decoderForm(type), firstPosition: 0 };

function filesOf(type: string, architecture: string, graph: OnnxFile, more: object = {}): RepositoryFiles {
  const texts = {
    'config.json': { ...configOf(type, architecture), vocab_size: FIRST + WORDS.length },
    ...wordTokenizer(WORDS),
    ...more,
  };
  const encoder = new TextEncoder();
  return new Map([
    ['onnx/model.onnx', wholeFile(graph.toMessage())],
    ...Object.entries(texts).map(([name, content]) => [name, encoder.encode(JSON.stringify(content))] as const),
  ]);
}

const idsOf = (numbers: readonly number[]): number[] => [CLS, ...numbers.map((word) => FIRST + word), SEP];
const textOf = (numbers: readonly number[]): string => numbers.map((word) => WORDS[word]).join(' ');

/** Of several lengths, so that all but the longest are padded. */
const TEXTS = [[3, 1, 4, 1, 5, 9, 2, 6], [5], [3, 5, 8, 9, 7, 9, 3], []];

/** @param share of the table. @default all of it */
export function describeTextEncoders(load: LoadEncoder, { part, of }: TablePart = { part: 0, of: 1 }): void {
  const classes = (task: ModelEntry['task']) => classesOf(task).filter((_, index) => index % of === part);

  describe('every class of embedding models gets what it is given', () => {
    const pooling = { '1_Pooling/config.json': { pooling_mode: 'lasttoken' } };

    it.each(classes('embeddings'))('%s', async (type, kind) => {
      const form = formOf(type, kind);
      const model = await load('embeddings', type, filesOf(type, `${type}Model`, makeEmbedder(form), pooling));
      const texts = TEXTS.filter((numbers) => numbers.length > 0);
      const request = { model: type, inputs: texts.map(textOf) };
      const { vectors } = await model.embed!(request, signal);
      // Only the direction is given.
      const given = vectors.map(([sum, unit]) => Math.round((sum! / unit!) * vectorOf(form, [])[1]!));
      expect(given).toEqual(texts.map((numbers) => vectorOf(form, idsOf(numbers))[0]));
      await model.unload();
    });
  });

  describe('every class of ranking models gets what it is given', () => {
    it.each(classes('rerank'))('%s', async (type, kind) => {
      const form = formOf(type, kind);
      const tokenizer = { ...(wordTokenizer(WORDS)['tokenizer.json'] as object), post_processor: PAIRS };
      const files = filesOf(type, 'MadeForSequenceClassification', makeRanker(form), { 'tokenizer.json': tokenizer });
      const model = await load('rerank', type, files);
      const query = [2, 7, 1];
      const request = { model: type, query: textOf(query), documents: TEXTS.map(textOf) };
      const { scores } = await model.rerank!(request, signal);
      for (const [index, document] of TEXTS.entries()) {
        const logit = logitOf(form, pairOf(query, document));
        expect(scores[index]).toBeCloseTo(1 / (1 + Math.exp(-logit)), 5);
      }
      await model.unload();
    });
  });
}

const PAIRS = { type: 'BertProcessing', cls: ['[CLS]', CLS], sep: ['[SEP]', SEP] };

function pairOf(query: readonly number[], document: readonly number[]): ReceivedText {
  const [first, second] = [idsOf(query), idsOf(document).slice(1)];
  return { ids: [...first, ...second], types: [...first.map(() => 0), ...second.map(() => 1)] };
}
