/**
 * An ONNX session whose outputs stay in wasm memory. ONNX Runtime's own `run` copies every output to JavaScript and every
 * input back, which for a KV cache takes most of the time of a decode step. Here only token ids go in and logits come out.
 * @module
 */
/* oxlint-disable no-underscore-dangle -- the names of ONNX Runtime's exports */
import type { ByteCopy, OnnxSession, OnnxTensor, OnnxValueInfo, TensorData } from './onnx-session.js';

/** Functions of ONNX Runtime's wasm module. Pointers are numbers. */
interface OnnxModule {
  readonly HEAPU8: Uint8Array;
  stackSave(): number;
  stackRestore(stack: number): void;
  stackAlloc(bytes: number): number;
  getValue(pointer: number, type: 'i32' | '*'): number;
  setValue(pointer: number, value: number, type: 'i32' | '*'): void;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, bytes: number): void;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  _OrtFree(pointer: number): number;
  _OrtCreateTensor(type: number, data: number, bytes: number, dims: number, rank: number, location: number): number;
  _OrtGetTensorData(tensor: number, type: number, data: number, dims: number, rank: number): number;
  _OrtReleaseTensor(tensor: number): number;
  _OrtRun(
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    options: number,
  ): number;
}

/** The global that `ort-module.mjs` sets. */
interface SharedRuntime {
  module: OnnxModule;
}

/** The number of parameters without default of each of these functions. */
export const RUNTIME_FUNCTIONS: Readonly<Record<Exclude<keyof OnnxModule, 'HEAPU8'>, number>> = {
  stackSave: 0,
  stackRestore: 1,
  stackAlloc: 1,
  getValue: 1,
  setValue: 2,
  lengthBytesUTF8: 1,
  stringToUTF8: 3,
  _malloc: 1,
  _free: 1,
  _OrtFree: 1,
  _OrtCreateTensor: 6,
  _OrtGetTensorData: 5,
  _OrtReleaseTensor: 1,
  _OrtRun: 8,
};

const POINTER = 4;
const ON_CPU = 1;
const TYPES: Readonly<Record<string, number>> = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10 };

/** The address of a session. Like the functions above, this is not public in ONNX Runtime. */
interface AddressedSession {
  handler?: { sessionId?: unknown };
}

/** The session with outputs in wasm memory; undefined when the runtime was loaded without `ort-module.mjs`. */
export function wasmSession(session: OnnxSession): OnnxSession | undefined {
  const runtime = (globalThis as unknown as Record<symbol, SharedRuntime | undefined>)[
    Symbol.for('inpage.onnx-runtime')
  ];
  const address = (session as AddressedSession).handler?.sessionId;
  if (!runtime || typeof address !== 'number') return undefined;
  // Another version of the runtime may have other exports; then its own `run` is used.
  const names = Object.keys(RUNTIME_FUNCTIONS) as (keyof typeof RUNTIME_FUNCTIONS)[];
  const isKnown = names.every((name) => typeof runtime.module[name] === 'function');
  return isKnown ? new WasmSession(session, runtime.module, address) : undefined;
}

class WasmSession implements OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly inputMetadata: readonly OnnxValueInfo[];
  readonly #module: OnnxModule;
  readonly #handle: number;
  /** C strings by name; they live as long as the wasm memory. */
  readonly #names = new Map<string, number>();

  constructor(session: OnnxSession, module: OnnxModule, handle: number) {
    this.inputNames = session.inputNames;
    this.outputNames = session.outputNames;
    this.inputMetadata = session.inputMetadata;
    this.#module = module;
    this.#handle = handle;
    for (const name of [...session.inputNames, ...session.outputNames]) this.#names.set(name, writeName(module, name));
  }

  async run(
    feeds: Readonly<Record<string, OnnxTensor>>,
    targets: Readonly<Record<string, OnnxTensor | null>> = {},
  ): Promise<Record<string, OnnxTensor>> {
    const module = this.#module;
    const given = this.outputNames.map((name) => targets[name] as WasmTensor | null | undefined);
    const stack = module.stackSave();
    const borrowed: InputTensor[] = [];
    try {
      const handles = Object.values(feeds).map((tensor) => {
        if (tensor instanceof WasmTensor) return tensor.handle;
        const lent = new InputTensor(module, tensor);
        borrowed.push(lent);
        return lent.handle;
      });
      const outputs = writePointers(
        module,
        given.map((tensor) => tensor?.handle ?? 0),
      );
      const failure = module._OrtRun(
        this.#handle,
        writePointers(
          module,
          Object.keys(feeds).map((name) => this.#names.get(name)!),
        ),
        writePointers(module, handles),
        handles.length,
        writePointers(
          module,
          this.outputNames.map((name) => this.#names.get(name)!),
        ),
        this.outputNames.length,
        outputs,
        0,
      );
      if (failure !== 0) throw new Error(`ONNX Runtime could not run the model (code ${failure}).`);
      return Object.fromEntries(
        this.outputNames.map((name, index) => [
          name,
          given[index] ?? new WasmTensor(module, module.getValue(outputs + index * POINTER, '*')),
        ]),
      );
    } finally {
      for (const tensor of borrowed) tensor.free();
      module.stackRestore(stack);
    }
  }
}

/** A JavaScript tensor, copied into wasm memory for one run. */
class InputTensor {
  readonly handle: number;
  readonly #module: OnnxModule;
  readonly #data: number;

  constructor(module: OnnxModule, { type, dims, data }: OnnxTensor) {
    this.#module = module;
    this.#data = module._malloc(data.byteLength);
    module.HEAPU8.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), this.#data);
    const sizes = writePointers(module, dims);
    this.handle = module._OrtCreateTensor(TYPES[type] ?? 0, this.#data, data.byteLength, sizes, dims.length, ON_CPU);
  }

  free(): void {
    this.#module._OrtReleaseTensor(this.handle);
    this.#module._free(this.#data);
  }
}

/** An output in wasm memory. Type, shape and address are read when they are first needed. */
export class WasmTensor implements OnnxTensor {
  readonly handle: number;
  readonly location = 'cpu';
  readonly #module: OnnxModule;
  /** Memory that this tensor owns; 0: none. */
  readonly #own: number;
  #description: { type: string; dims: number[]; pointer: number } | undefined;
  #disposed = false;

  /** @param own memory that is freed with the tensor; absent: ONNX Runtime owns it */
  constructor(module: OnnxModule, handle: number, own = 0) {
    this.#module = module;
    this.handle = handle;
    this.#own = own;
  }

  /** A new tensor of this type, filled by `copies` from other tensors in wasm memory. */
  gather(dims: readonly number[], copies: readonly ByteCopy[]): WasmTensor {
    const module = this.#module;
    const { type } = this;
    const bytes = dims.reduce((product, dim) => product * dim, type === 'float16' ? 2 : 4);
    // Addresses above 2 GiB come as negative numbers.
    const pointer = module._malloc(bytes) >>> 0;
    if (pointer === 0) throw new Error('There is no memory left for another sequence.');
    for (const { tensor, from, to, size } of copies) {
      const start = (tensor as WasmTensor).#describe().pointer + from;
      module.HEAPU8.copyWithin(pointer + to, start, start + size);
    }
    const stack = module.stackSave();
    const sizes = writePointers(module, dims);
    const handle = module._OrtCreateTensor(TYPES[type] ?? 0, pointer, bytes, sizes, dims.length, ON_CPU);
    module.stackRestore(stack);
    return new WasmTensor(module, handle, pointer);
  }

  get type(): string {
    return this.#describe().type;
  }

  get dims(): readonly number[] {
    return this.#describe().dims;
  }

  /** A view of wasm memory: valid until the next run or `dispose`. */
  get data(): TensorData {
    const { type, dims, pointer } = this.#describe();
    const size = dims.reduce((product, dim) => product * dim, 1);
    const { buffer } = this.#module.HEAPU8;
    return type === 'float16' ? new Uint16Array(buffer, pointer, size) : new Float32Array(buffer, pointer, size);
  }

  get gpuBuffer(): GPUBuffer {
    throw new Error('The tensor is not on the GPU.');
  }

  async getData(): Promise<TensorData> {
    return this.data.slice();
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#module._OrtReleaseTensor(this.handle);
    if (this.#own !== 0) this.#module._free(this.#own);
  }

  #describe(): { type: string; dims: number[]; pointer: number } {
    if (this.#description) return this.#description;
    const module = this.#module;
    const stack = module.stackSave();
    const facts = module.stackAlloc(4 * POINTER);
    module._OrtGetTensorData(this.handle, facts, facts + POINTER, facts + 2 * POINTER, facts + 3 * POINTER);
    const [code, pointer, sizes, rank] = [0, 1, 2, 3].map((index) =>
      module.getValue(facts + index * POINTER, 'i32'),
    ) as [number, number, number, number];
    const dims = Array.from({ length: rank }, (_, index) => module.getValue(sizes + index * POINTER, 'i32'));
    module._OrtFree(sizes);
    module.stackRestore(stack);
    const type = Object.keys(TYPES).find((name) => TYPES[name] === code) ?? 'float32';
    // Addresses above 2 GiB read as negative numbers.
    this.#description = { type, dims, pointer: pointer >>> 0 };
    return this.#description;
  }
}

function writeName(module: OnnxModule, name: string): number {
  const bytes = module.lengthBytesUTF8(name) + 1;
  const pointer = module._malloc(bytes);
  module.stringToUTF8(name, pointer, bytes);
  return pointer;
}

/** An array of 32-bit values on the wasm stack. */
function writePointers(module: OnnxModule, values: readonly number[]): number {
  const start = module.stackAlloc(values.length * POINTER);
  for (const [index, value] of values.entries()) module.setValue(start + index * POINTER, value, 'i32');
  return start;
}
