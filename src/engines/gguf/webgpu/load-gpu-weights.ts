/** Brings the weights of a file to the GPU while they stream in: a piece of the file, its planes, a buffer. @module */
import { cutFile } from '../file/file-problems.js';
import type { GgufTensor, ReadRange } from '../file/header.js';
import { TENSOR_KINDS } from '../file/tensor-kinds.js';
import type { GpuMemory } from './gpu-memory.js';
import { packPlanes, type PlaneBytes } from './pack-planes.js';
import { PLANES, roundUp, rowBytesOf } from './planes.js';
import type { PlacedPart, Slab, WeightPlaces } from './weight-places.js';

/** Bytes of the file that are moved at once. */
const PIECE = 2 ** 20;
/** The browser keeps a copy of what is written until the GPU has it: after so many bytes the GPU is waited for. */
const UNDER_WAY = 8 * PIECE;

/** Vectors of a model: numbers of one buffer. */
interface PlacedVectors {
  buffer: GPUBuffer;
  /** Where a vector begins, in numbers. */
  at: ReadonlyMap<GgufTensor, number>;
}

interface Weights {
  slabs: ReadonlyMap<Slab, GPUBuffer>;
  places: Pick<WeightPlaces, 'parts'>;
  vectors: PlacedVectors;
  /** Also wanted by the CPU. */
  keep: GgufTensor | undefined;
}

/**
 * @param file its name, for messages
 * @param read is called in order, without overlaps
 * @returns the numbers of the vector `keep`
 * @throws InferenceError `unavailable` for a file that ends too early; what `read` throws
 */
export async function loadGpuWeights(
  memory: GpuMemory,
  { slabs, places, vectors, keep }: Weights,
  file: string,
  read: ReadRange,
): Promise<Float32Array | undefined> {
  const { queue } = memory.device;
  const exactly = async (from: number, to: number): Promise<Uint8Array> => {
    const bytes = await read(from, to);
    if (bytes.length < to - from) throw cutFile(file);
    return bytes;
  };
  let waiting = 0;
  const wrote = async (bytes: number): Promise<void> => {
    waiting += bytes;
    if (waiting <= UNDER_WAY) return;
    waiting = 0;
    queue.submit([]);
    await queue.onSubmittedWorkDone();
  };
  const parts = groupByTensor(places.parts);
  let kept: Float32Array | undefined;
  const tensors = new Set([...parts.keys(), ...vectors.at.keys(), ...(keep ? [keep] : [])]);
  const planes = new PlaneScratch();
  for (const tensor of [...tensors].toSorted((a, b) => a.offset - b.offset)) {
    const { kind, offset, bytes, shape } = tensor;
    const placed = parts.get(tensor);
    if (!placed) {
      const numbers = new Float32Array((await exactly(offset, offset + bytes)).slice().buffer);
      const at = vectors.at.get(tensor);
      if (at !== undefined) memory.write(vectors.buffer, at * 4, numbers);
      if (tensor === keep) kept = numbers;
      continue;
    }
    const columns = shape[0]!;
    const { values, bytes: blockBytes } = TENSOR_KINDS[kind];
    const rowBytes = (columns / values) * blockBytes;
    const row = rowBytesOf(kind, columns);
    // Of 4 rows each plane has whole words.
    const step = Math.max(4, Math.floor(PIECE / rowBytes / 4) * 4);
    for (const { slab, part } of placed.toSorted((a, b) => a.part.firstRow - b.part.firstRow)) {
      for (let first = 0; first < part.rows; first += step) {
        const count = Math.min(step, part.rows - first);
        const from = offset + (part.firstRow + first) * rowBytes;
        const source = await exactly(from, from + count * rowBytes);
        const out = planes.of(row, count);
        packPlanes(kind, source, count * columns, out);
        for (const plane of PLANES) {
          if (row[plane] > 0)
            memory.write(slabs.get(slab)!, part.at + part.planes[plane] + first * row[plane], out[plane]);
        }
        await wrote(count * rowBytes);
      }
    }
  }
  queue.submit([]);
  await queue.onSubmittedWorkDone();
  return kept;
}

type Parts = readonly { slab: Slab; part: PlacedPart }[];

function groupByTensor(parts: Parts): Map<GgufTensor, { slab: Slab; part: PlacedPart }[]> {
  const groups = new Map<GgufTensor, { slab: Slab; part: PlacedPart }[]>();
  for (const placed of parts) {
    const group = groups.get(placed.part.tensor);
    if (group) group.push(placed);
    else groups.set(placed.part.tensor, [placed]);
  }
  return groups;
}

/** Memory for the planes of some rows, used again and again. */
class PlaneScratch {
  readonly #bytes: Partial<Record<keyof PlaneBytes, Uint8Array<ArrayBuffer>>> = {};

  of(
    row: Readonly<Record<keyof PlaneBytes, number>>,
    count: number,
  ): Record<keyof PlaneBytes, Uint8Array<ArrayBuffer>> {
    const bytesOf = (plane: keyof PlaneBytes): Uint8Array<ArrayBuffer> => {
      const bytes = roundUp(row[plane] * count, 4);
      const has = this.#bytes[plane];
      const enough = has && has.length >= bytes ? has : new Uint8Array(roundUp(bytes, 65_536));
      this.#bytes[plane] = enough;
      return enough.subarray(0, bytes);
    };
    return { codes: bytesOf('codes'), extra: bytesOf('extra'), scales: bytesOf('scales'), supers: bytesOf('supers') };
  }
}
