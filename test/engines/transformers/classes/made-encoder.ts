/** Vision encoders that give as many vectors as their inputs ask for, each of its own number and of the picture's grey. */
import { BOOL, FLOAT, INT64 } from '../../../support/onnx-file.js';
import { RandomGraph } from '../../../vision/random-graph.js';
import type { Picture } from './pictures.js';

/** What an encoder takes beside `pixel_values`, and how many vectors it makes of it. */
export type EncoderInputs =
  /** One for each patch of an image. */
  | { form: 'pixels'; patch: number }
  /** So many for each tile that the mask shows. */
  | { form: 'tiles'; perTile: number; side: number }
  /** A quarter of the patches of a grid. @param name of that input */
  | { form: 'grid'; name: string; patchSize: number }
  /** By the rows and columns of each tile. */
  | { form: 'shapes'; patchSize: number }
  /** By the patches that have a place. */
  | { form: 'places'; pooled: number; patchSize: number };

/** How strongly the vectors of a picture differ: every one of these again from the start. */
const KINDS = 5;
/** What every value is a multiple of, so that all sums are whole. */
const STEP = 8;
const GREYS = 10;

/** The mean of a picture's vector. @param at which of its vectors */
export function imageValue({ grey }: Picture, preprocessor: object, at: number): number {
  const value = 'image_mean' in preprocessor ? grey / 127.5 - 1 : grey / 255;
  return STEP * (Math.round(GREYS * value) + (at % KINDS));
}

/** The graph `vision_encoder`. @param width numbers of a vector */
export function makeEncoder(inputs: EncoderInputs, width: number): RandomGraph {
  const graph = new RandomGraph(1);
  const count = countOf(graph, inputs);
  const brightest = graph.op('ReduceMax', ['pixel_values'], { keepdims: 0 });
  const grey = graph.op('Round', [graph.op('Mul', [brightest, graph.number(GREYS)])]);
  const numbers = graph.op('Range', [graph.number(0), count, graph.number(1)]);
  const kind = graph.op('Mod', [numbers, graph.number(KINDS)], { fmod: 1 });
  const values = graph.op('Mul', [graph.op('Add', [kind, grey]), graph.number(STEP)]);
  const ones = graph.constant('width', new Float32Array(width).fill(1), [1, width]);
  const vectors = graph.op('Mul', [graph.reshape(values, -1, 1), ones]);
  const isList = inputs.form === 'grid' || inputs.form === 'shapes';
  const dims = isList ? [-1, width] : [1, -1, width];
  graph.node('Reshape', [vectors, graph.ints(...dims)], 'image_features');
  graph.output('image_features', FLOAT, isList ? ['vectors', width] : ['images', 'vectors', width]);
  return graph;
}

/** The graph's inputs, and the number of vectors as a float. */
function countOf(graph: RandomGraph, inputs: EncoderInputs): string {
  const floats = (name: string): string => graph.op('Cast', [name], { to: FLOAT });
  const sum = (name: string): string => graph.op('ReduceSum', [name], { keepdims: 0 });
  const divided = (name: string, by: number): string => graph.op('Floor', [graph.op('Div', [name, graph.number(by)])]);
  const product = (name: string): string => graph.op('ReduceProd', [name], { keepdims: 0 });
  const products = (name: string): string => graph.op('ReduceProd', [name, graph.ints(1)], { keepdims: 0 });
  switch (inputs.form) {
    case 'pixels': {
      graph.input('pixel_values', FLOAT, ['images', 3, 'height', 'width']);
      const sides = graph.op('Slice', [graph.op('Shape', ['pixel_values']), graph.ints(2), graph.ints(4)]);
      return product(divided(floats(sides), inputs.patch));
    }
    case 'tiles':
      graph.input('pixel_values', FLOAT, ['images', 'tiles', 3, inputs.side, inputs.side]);
      graph.input('pixel_attention_mask', BOOL, ['images', 'tiles', inputs.side, inputs.side]);
      return divided(sum(floats('pixel_attention_mask')), inputs.side ** 2 / inputs.perTile);
    case 'grid': {
      graph.input('pixel_values', FLOAT, ['patches', inputs.patchSize]);
      graph.input(inputs.name, INT64, ['images', 3]);
      const areas = products(floats(inputs.name));
      return divided(sum(areas), 4);
    }
    case 'shapes': {
      graph.input('pixel_values', FLOAT, ['tiles', 'patches', inputs.patchSize]);
      graph.input('pixel_attention_mask', INT64, ['tiles', 'patches']);
      graph.input('spatial_shapes', INT64, ['tiles', 2]);
      // Every patch that is there is one of the shape.
      const patches = products(floats('spatial_shapes'));
      const surplus = graph.op('Sub', [sum(floats('pixel_attention_mask')), sum(patches)]);
      const halves = graph.op('Ceil', [graph.op('Div', [floats('spatial_shapes'), graph.number(2)])]);
      const areas = products(halves);
      return graph.op('Add', [sum(areas), surplus]);
    }
    case 'places': {
      graph.input('pixel_values', FLOAT, ['images', 'patches', inputs.patchSize]);
      graph.input('pixel_position_ids', INT64, ['images', 'patches', 2]);
      const isThere = floats(graph.op('Less', [graph.index(-1), 'pixel_position_ids']));
      return divided(sum(isThere), 2 * inputs.pooled);
    }
  }
}
