/** Graphs of embedding and ranking models whose output is a sum over all that they received. */
import { FLOAT, INT64, type OnnxFile } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';
import { addTotal, type DecoderForm, expectedTotal, received } from './made-decoder.js';

/** What an encoder takes beside `input_ids` and `attention_mask`. */
export type TokenInput = 'token_type_ids' | 'position_ids';

/** A graph's tokens: an encoder's, all of which see each other, or a decoder's. */
export type TextForm = { inputs: readonly TokenInput[] } | DecoderForm;

/** A text as a graph gets it. */
export interface ReceivedText {
  ids: readonly number[];
  /** `token_type_ids`. */
  types: readonly number[];
}

/** How much more a token of the second text counts. */
const SECOND = 2;
/** The second number of every vector, beside the sum. */
const UNIT = 64;
/** A score is what is left of the sum, around zero. */
const [SCORES, HALF, SHARE] = [16, 8, 4];

/** The sum after the last token of a text. */
function totalOf(form: TextForm, { ids, types }: ReceivedText): number {
  if (!('inputs' in form)) return expectedTotal(form, received(form, ids));
  const kinds = form.inputs.includes('token_type_ids') ? types : ids.map(() => 0);
  return ids.reduce((total, id, at) => total + (id + SECOND * kinds[at]!) * (at + 1), 0);
}

/** The vector of a text, of any length. */
export const vectorOf = (form: TextForm, ids: readonly number[]): number[] => [
  totalOf(form, { ids, types: ids.map(() => 0) }),
  UNIT,
];

export const logitOf = (form: TextForm, text: ReceivedText): number => ((totalOf(form, text) % SCORES) - HALF) / SHARE;

/** `last_hidden_state`: of each token the sum up to it, or of all. */
export function makeEmbedder(form: TextForm): OnnxFile {
  const graph = new RandomGraph(1);
  const total = graph.op('Unsqueeze', [addTotals(graph, form), graph.ints(2)]);
  const unit = graph.op('Add', [graph.op('Mul', [total, graph.number(0)]), graph.number(UNIT)]);
  graph.node('Concat', [total, unit], 'last_hidden_state', { axis: 2 });
  graph.output('last_hidden_state', FLOAT, ['batch_size', 'sequence_length', 2]);
  return graph;
}

/** `logits`: one for each text, made of what its last token sees. */
export function makeRanker(form: TextForm): OnnxFile {
  const graph = new RandomGraph(1);
  const totals = addTotals(graph, form);
  const mask = graph.op('Cast', ['attention_mask'], { to: FLOAT });
  const length = graph.op('ReduceSum', [mask, graph.ints(1)], { keepdims: 1 });
  // Whether a token is the last one: so many there are up to it, and it is there.
  const place = graph.op('CumSum', [mask, graph.index(1)]);
  const isLast = graph.op('Cast', [graph.op('Equal', [place, length])], { to: FLOAT });
  const chosen = graph.op('Mul', [graph.op('Mul', [totals, isLast]), mask]);
  const total = graph.op('ReduceSum', [chosen, graph.ints(1)], { keepdims: 1 });
  const rest = graph.op('Mod', [graph.op('Round', [total]), graph.number(SCORES)], { fmod: 1 });
  graph.node('Div', [graph.op('Sub', [rest, graph.number(HALF)]), graph.number(SHARE)], 'logits');
  graph.output('logits', FLOAT, ['batch_size', 1]);
  return graph;
}

/** `[rows, tokens]` */
function addTotals(graph: RandomGraph, form: TextForm): string {
  if (!('inputs' in form)) return addTotal(graph, form);
  const names = ['input_ids', 'attention_mask', ...form.inputs];
  for (const name of names) graph.input(name, INT64, ['batch_size', 'sequence_length']);
  const floats = (name: string): string => graph.op('Cast', [name], { to: FLOAT });
  const mask = floats('attention_mask');
  const places = form.inputs.includes('position_ids')
    ? graph.op('Add', [floats('position_ids'), graph.number(1)])
    : graph.op('CumSum', [
        graph.op('Add', [graph.op('Mul', [mask, graph.number(0)]), graph.number(1)]),
        graph.index(1),
      ]);
  const ids = floats('input_ids');
  const types = form.inputs.includes('token_type_ids')
    ? graph.op('Mul', [floats('token_type_ids'), graph.number(SECOND)])
    : graph.op('Mul', [ids, graph.number(0)]);
  const terms = graph.op('Mul', [graph.op('Mul', [graph.op('Add', [ids, types]), places]), mask]);
  const sum = graph.op('ReduceSum', [terms, graph.ints(1)], { keepdims: 1 });
  return graph.op('Add', [graph.op('Mul', [ids, graph.number(0)]), sum]);
}
