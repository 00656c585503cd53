/** Values of a file's metadata that begin with its architecture's name. Each that says what is computed must be asked for. @module */
import type { InferenceError } from '../../core/errors/inference-error.js';
import { type Architecture, ENCODER_NAMES } from './architectures.js';
import { shown, unsupported } from './file/file-problems.js';
import type { GgufHeader, GgufValue } from './file/header.js';

/** Keys that change no number: what they say is in the tensors, or of interest to others. */
const INFORMATIVE = new Set([
  'vocab_size',
  'tensor_data_layout',
  'rope.scaling.finetuned',
  'attention.layer_norm_epsilon',
  'expert_used_count',
  'pooling_type',
]);

export class ModelKeys<Known extends Pick<Architecture, 'unused'> = Architecture> {
  readonly name: string;
  readonly architecture: Known;
  readonly #file: string;
  readonly #metadata: ReadonlyMap<string, GgufValue>;
  readonly #asked = new Set<string>();

  /** @throws InferenceError `model_not_supported` for an architecture that is not one of these */
  constructor({ file, metadata }: Pick<GgufHeader, 'file' | 'metadata'>, known: Readonly<Record<string, Known>>) {
    this.#file = file;
    this.#metadata = metadata;
    const name = metadata.get('general.architecture');
    if (typeof name !== 'string') throw unsupported(file, 'it does not name its architecture');
    const architecture = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!architecture) {
      const all = Object.keys(known).map((each) => `\`${each}\``);
      const isEncoder = ENCODER_NAMES.some((each) => each === name);
      const why = isEncoder ? 'is an encoder, which does not generate text' : 'is not supported';
      throw unsupported(file, `its architecture \`${shown(name)}\` ${why}; supported are ${all.join(', ')}`);
    }
    this.name = name;
    this.architecture = architecture;
  }

  text(key: string): string | undefined {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'string') return value;
    throw this.#unfit(key, 'is not a string');
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.#get(key);
    if (value === undefined || typeof value === 'boolean') return value ?? otherwise;
    throw this.#unfit(key, 'is neither true nor false');
  }

  number(key: string, otherwise?: number): number {
    const value = this.#get(key);
    // Some files have a number for each layer.
    const number = typeof value === 'object' && new Set(value).size === 1 ? value[0] : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    if (value === undefined && otherwise !== undefined) return otherwise;
    throw this.#unfit(key, value === undefined ? 'is missing' : 'is not one number');
  }

  /** A number where 0 stands for the usual one. */
  factor(key: string, otherwise = 1): number {
    return this.number(key, otherwise) || otherwise;
  }

  /** As {@link factor}, and as {@link positive}. */
  positiveFactor(key: string, otherwise?: number): number {
    return this.#above0(key, this.factor(key, otherwise));
  }

  /** A whole number. */
  size(key: string, otherwise?: number, least = 1): number {
    const size = this.number(key, otherwise);
    if (!Number.isInteger(size) || size < least || size > 2 ** 31) throw this.#unfit(key, `is ${size}`);
    return size;
  }

  /** The number of layers: each has tensors of its own. */
  layers(tensors: number): number {
    const layers = this.size('block_count');
    if (layers > tensors) throw this.#unfit('block_count', `is ${layers}, and it has ${tensors} tensors`);
    return layers;
  }

  /** A number above 0 that is not out of all proportion. */
  positive(key: string, otherwise?: number): number {
    return this.#above0(key, this.number(key, otherwise));
  }

  /** What is added to a mean of squares, so that nothing is divided by 0. */
  epsilon(key: string): number {
    const value = this.number(key);
    if (!(value >= 0 && value < 1)) throw this.#unfit(key, `is ${value}`);
    return value;
  }

  /** Whole numbers of so many layers: one for all, or one for each. */
  sizes(key: string, layers: number, otherwise?: number, least = 0): number[] {
    const value = this.#get(key);
    if (typeof value !== 'object') return Array.from({ length: layers }, () => this.size(key, otherwise, least));
    const sizes = Array.from(value as ArrayLike<unknown>);
    const isSize = (size: unknown): size is number => Number.isInteger(size) && Number(size) >= least;
    if (sizes.length === layers && sizes.every(isSize)) return sizes.filter(isSize);
    throw this.#unfit(key, `is not one number of at least ${least} for each of its ${layers} layers`);
  }

  /** Whether it has such a key. */
  has(key: string): boolean {
    return this.#get(key) !== undefined;
  }

  /** Truths of so many layers, one for all or one for each; undefined: it has none. */
  flags(key: string, layers: number): boolean[] | undefined {
    const value = this.#get(key);
    if (value === undefined) return undefined;
    const flags = Array.from(typeof value === 'object' ? (value as ArrayLike<unknown>) : { length: layers }, (each) =>
      typeof value === 'object' ? each : value,
    );
    const isFlag = (flag: unknown): boolean => typeof flag === 'boolean' || flag === 0 || flag === 1;
    if (flags.length === layers && flags.every(isFlag)) return flags.map(Boolean);
    throw this.#unfit(key, `is not true or false for each of its ${layers} layers`);
  }

  /** Which of so many layers are of a kind: as the file lists them, or all but one in so many. @param last that one */
  pattern(key: string, layers: number, every: number, last: (every: number) => number): boolean[] {
    if (typeof this.#get(key) === 'object') return this.flags(key, layers)!;
    const size = this.size(key, every);
    return Array.from({ length: layers }, (_, layer) => layer % size !== last(size));
  }

  /** Numbers of so many layers below another name than the architecture's: one for all, or one for each. */
  numbersOf(name: string, layers: number): number[] {
    const value = this.#metadata.get(name);
    const all =
      typeof value === 'object' ? Array.from(value as ArrayLike<unknown>) : Array<unknown>(layers).fill(value);
    const isNumber = (each: unknown): each is number => typeof each === 'number' && Number.isFinite(each);
    if (all.length === layers && all.every(isNumber)) return all.filter(isNumber);
    throw unsupported(this.#file, `its metadata \`${name}\` is not a number for each of its ${layers} layers`);
  }

  /** @throws InferenceError `model_not_supported`, with the key's name */
  refuse(key: string, why: string): never {
    throw this.#unfit(key, why);
  }

  /** @throws InferenceError `model_not_supported` for a key that no one asked for and that may change what is computed */
  refuseOthers(): void {
    const begin = `${this.name}.`;
    const isKnown = (key: string): boolean =>
      this.#asked.has(key) || INFORMATIVE.has(key) || (this.architecture.unused ?? []).includes(key);
    for (const [name, value] of this.#metadata) {
      if (!name.startsWith(begin) || isKnown(name.slice(begin.length)) || isOff(value)) continue;
      throw unsupported(this.#file, `its metadata \`${shown(name)}\` is not supported for this architecture`);
    }
  }

  #above0(key: string, value: number): number {
    if (!(value > 0 && value <= 1e12)) throw this.#unfit(key, `is ${value}`);
    return value;
  }

  #unfit(key: string, why: string): InferenceError {
    return unsupported(this.#file, `its metadata \`${this.name}.${key}\` ${why}`);
  }

  #get(key: string): GgufValue | undefined {
    this.#asked.add(key);
    return this.#metadata.get(`${this.name}.${key}`);
  }
}

/** A value that asks for nothing. */
const isOff = (value: GgufValue): boolean => value === 0 || value === false || value === '';
