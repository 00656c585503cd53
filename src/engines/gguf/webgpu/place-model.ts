/** Which weights of a model lie where on a GPU. @module */
import { requirePlain } from './plain-layers.js';
import { type PlacedExperts, type PlacedNetwork, placeRouted, type PlacedRouted } from './place-experts.js';
import { routedMatrices } from './routed-layers.js';
import type { ForwardShape } from '../forward-shape.js';
import type { GgufTensor } from '../file/header.js';
import { pagesOf } from '../kv-pages.js';
import type { ModelPlan } from '../model-plan.js';
import type { LayerPlan } from '../plan-layer.js';
import { Rope, type RopeShape } from '../rope.js';
import { roundUp } from './planes.js';
import type { MatrixPlan } from '../model-tensors.js';
import { type PlacedPiece, WeightPlaces } from './weight-places.js';
import { NONE } from './shaders/sizes.js';

/** The matrices of a layer. */
export interface PlacedLayer {
  /** Queries, keys and values, and behind them what goes into a state beside attention. */
  qkv: PlacedPiece[];
  output: PlacedPiece[];
  /** What goes into a state alone; and a state's output where attention has `output`. */
  mixing: PlacedPiece[];
  mixOutput: PlacedPiece[];
  /** Of what is inside the network: gate and up in one product, or in two, because they are of two kinds; or up alone. */
  inner: readonly [PlacedPiece[]] | readonly [PlacedPiece[], PlacedPiece[]];
  down: PlacedPiece[];
  /** What opens the layer's input, and what it gives. */
  input: { gate: PlacedPiece[]; output: PlacedPiece[] } | undefined;
  /** Undefined: no experts. */
  routed: PlacedRouted | undefined;
}

export interface PlacedModel {
  places: Pick<WeightPlaces, 'slabs' | 'parts'>;
  layers: readonly PlacedLayer[];
  embedding: PlacedPiece[];
  head: PlacedPiece[];
  /** Of inputs of layers; without a table: it stays in the store. */
  inputs: { projection: PlacedPiece[]; table: PlacedPiece[] | undefined } | undefined;
}

/**
 * @param limit bytes of a binding @param isStored the table of inputs of layers stays in the store
 * @param areApart whether a layer reads experts and what all rows take one after the other, though a binding holds both
 * @throws InferenceError `insufficient_resources`
 */
export function placeModel(
  { layers, embedding, head, layerInputs }: ModelPlan,
  limit: number,
  isStored = false,
  areApart: (layer: number) => boolean = () => false,
): PlacedModel {
  const places = new WeightPlaces(limit);
  const lay = (...together: (MatrixPlan | undefined)[]): PlacedPiece[] => {
    // Keys may be values, too.
    const there = [...new Set(together)].filter((matrix) => matrix !== undefined);
    return there.length > 0 ? places.place(there) : [];
  };
  const place = (layer: LayerPlan): PlacedLayer => {
    const { query, key, value, output, gate, up, down, inputGate, inputOutput, ...others } = requirePlain(
      layer.matrices,
    );
    const { mixIn, mixGate, beta, alpha, betaAlpha, mixOutput } = others;
    const matrices = routedMatrices(layer);
    const routed = matrices && placeRouted(places, matrices, areApart(layers.indexOf(layer)));
    // A network beside experts lies with them.
    const network = up && routed?.beside;
    const mixing = [mixIn, mixGate, betaAlpha, beta, alpha];
    return {
      qkv: query ? lay(query, key, value, ...mixing) : [],
      output: lay(output),
      mixing: query ? [] : lay(...mixing),
      mixOutput: lay(mixOutput),
      // A layer with experts alone has none.
      inner: network ? innerOf(network) : up ? placeInner(places, gate, up) : [[]],
      down: network ? piecesOf(network.down) : lay(down),
      input: inputGate && { gate: lay(inputGate), output: lay(inputOutput) },
      routed,
    };
  };
  // A layer that is read several times lies there once.
  const once = new Map([...new Set(layers)].map((layer) => [layer, place(layer)]));
  const placed = layers.map((layer) => once.get(layer)!);
  const table = places.place([embedding]);
  return {
    places,
    layers: placed,
    embedding: table,
    head: head === embedding ? table : places.place([head]),
    inputs: layerInputs && {
      projection: places.place([layerInputs.projection]),
      table: isStored ? undefined : places.place([layerInputs.table]),
    },
  };
}

const piecesOf = (experts: readonly PlacedExperts[]): PlacedPiece[] => experts.map(({ piece }) => piece);

function innerOf({ inner: [first, second] }: PlacedNetwork): PlacedLayer['inner'] {
  return second ? [piecesOf(first), piecesOf(second)] : [piecesOf(first)];
}

function placeInner(places: WeightPlaces, gate: MatrixPlan | undefined, up: MatrixPlan): PlacedLayer['inner'] {
  if (!gate) return [places.place([up])];
  if (gate.tensor.kind === up.tensor.kind) return [places.place([gate, up])];
  return [places.place([gate]), places.place([up])];
}

/** Where the vectors of a model begin in one buffer, in numbers, and the angles of its kinds of RoPE behind them. */
export class VectorPlaces {
  readonly at = new Map<GgufTensor, number>();
  readonly #angles = new Map<RopeShape, number>();
  readonly #highPages: number;
  #count = 0;

  constructor({ layers, outputNorm, layerInputs }: ModelPlan, shape: ForwardShape) {
    const vectors = layers.flatMap(({ vectors }) => Object.values<GgufTensor | undefined>({ ...vectors }));
    for (const vector of [outputNorm, layerInputs?.norm, ...vectors]) {
      if (!vector || this.at.has(vector)) continue;
      this.at.set(vector, this.#count);
      this.#count += roundUp(vector.bytes / 4, 4);
    }
    this.#highPages = pagesOf(shape.contextLength);
    for (const rope of [shape.rope, shape.windowRope]) {
      if (!rope) continue;
      this.#angles.set(rope, this.#count);
      this.#count += (64 + this.#highPages) * rope.size;
    }
  }

  /** Numbers of all. */
  get count(): number {
    return this.#count;
  }

  of(vector: GgufTensor | undefined): number {
    return vector ? this.at.get(vector)! : NONE;
  }

  /** Where the angles of positions in a page begin, and those of pages. */
  anglesOf(rope: RopeShape): { low: number; high: number } {
    const low = this.#angles.get(rope)!;
    return { low, high: low + 64 * rope.size };
  }

  /** The angles themselves. @param factors divisors of the usual frequencies */
  *angles(factors: Float32Array | undefined): Generator<{ at: number; numbers: Float32Array<ArrayBuffer> }> {
    for (const [index, [shape, at]] of [...this.#angles].entries()) {
      const rope = new Rope(index === 0 ? { ...shape, factors } : shape);
      const pairs = shape.size / 2;
      const numbers = new Float32Array((64 + this.#highPages) * shape.size);
      const [cos, sin] = [new Float32Array(pairs), new Float32Array(pairs)];
      rope.write(0, cos, sin, 0);
      // The magnitude counts once, with the angles of pages.
      const magnitude = cos[0]!;
      for (let row = 0; row < 64 + this.#highPages; row++) {
        const isLow = row < 64;
        rope.write(isLow ? row : (row - 64) * 64, cos, sin, 0);
        for (let pair = 0; pair < pairs; pair++) {
          numbers[(row * pairs + pair) * 2] = isLow ? cos[pair]! / magnitude : cos[pair]!;
          numbers[(row * pairs + pair) * 2 + 1] = isLow ? sin[pair]! / magnitude : sin[pair]!;
        }
      }
      yield { at, numbers };
    }
  }
}
