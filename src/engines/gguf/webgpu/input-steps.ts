/** What a pass dispatches for the inputs that layers of Gemma 4 take of tokens themselves. @module */
import { type Dispatch, type PassBuffers, type RowClass, wordOf } from './dispatch.js';
import { BRANCHES_SHADER, INPUTS_SHADER } from './shaders/inputs.js';
import { isNormedApart, type ProgramParts, type StepMaker } from './step-maker.js';

/** Inputs of all layers: made of the embeddings, which are at `x`, and of what was looked up. None where there are none. */
export function projectInputs(make: StepMaker, parts: ProgramParts, rows: RowClass): Dispatch[] {
  const { plan, placed, shape, pipelines, buffers, vectors, places } = parts;
  const { layers, layerInput = 0, width, epsilon } = shape;
  if (!placed.inputs) return [];
  const stride = layers * layerInput;
  const norm = places.of(plan.layerInputs!.norm);
  return [
    ...make.product(rows, placed.inputs.projection, {
      input: 'x',
      output: 'inputs',
      stride,
      outs: [0],
      scale: width ** -0.5,
    }),
    {
      pipeline: pipelines.get('norm', 'inputs', INPUTS_SHADER),
      group: make.bind('norm', [buffers.stored, buffers.inputs, vectors, buffers.plan]),
      offset: make.record(layerInput / 4, norm, wordOf(epsilon), wordOf(Math.sqrt(layerInput)), layers, 0, 0, 0),
      x: layers,
      rowsEach: 1,
    },
  ];
}

/** A layer, where its rows and inputs are, and which count of the plan they have. */
interface InputRows {
  index: number;
  x: keyof PassBuffers;
  inputs: keyof PassBuffers;
  list: 0 | 1;
}

/**
 * Adds what a layer makes of its input. None where it has none. Of few rows the branch before it is still at `branch`, because
 * what follows adds it, which saves a dispatch.
 */
export function addInput(
  make: StepMaker,
  parts: ProgramParts,
  rows: RowClass,
  { index, x, inputs, list }: InputRows,
): Dispatch[] {
  const { plan, placed, shape, places } = parts;
  const { layers, layerInput = 0, width, residualScale: scale } = shape;
  const { input } = placed.layers[index]!;
  if (!input) return [];
  const { feedForwardPostNorm, inputPostNorm, outputScale } = plan.layers[index]!.vectors;
  const [before, norm, factor] = [feedForwardPostNorm, inputPostNorm, outputScale].map((vector) => places.of(vector));
  const isOpen = leavesBranch(rows);
  const output = isOpen ? 'y' : 'branch';
  const adds = isOpen ? ({ branch: 'branch', norm: before! } as const) : undefined;
  const opening = { inputs, at: index * layerInput, stride: layers * layerInput };
  const opened = { output: 'inner', stride: layerInput, outs: [0], end: 'opened', opening, adds, scale, list } as const;
  return [
    ...make.product(rows, input.gate, { input: x, ...opened }),
    ...make.product(rows, input.output, { input: 'inner', output, stride: width, outs: [0], list }),
    isOpen
      ? addBoth(make, parts, x, { norms: [before!, norm!], factor: factor! })
      : make.addNormed('branch', x, { norm: norm!, columns: width, scale, factor: factor! }),
  ];
}

/** Whether the branch before a layer's input is added behind it. */
export const leavesBranch = (rows: RowClass): boolean => !isNormedApart(rows);

/** What is at `branch` and what is at `y`. */
function addBoth(
  make: StepMaker,
  { shape, pipelines, buffers, vectors }: ProgramParts,
  x: keyof PassBuffers,
  { norms, factor }: { norms: readonly [number, number]; factor: number },
): Dispatch {
  const { width, epsilon, residualScale } = shape;
  return {
    pipeline: pipelines.get('norm', 'branches', BRANCHES_SHADER),
    group: make.bind('norm', [buffers.branch, buffers[x], vectors, buffers.y]),
    offset: make.record(width / 4, ...norms, factor, wordOf(epsilon), wordOf(residualScale), 0, 0),
    x: 0,
    rowsEach: 1,
  };
}
