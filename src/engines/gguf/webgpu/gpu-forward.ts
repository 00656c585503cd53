/** Forward passes of a decoder on a GPU. @module */
import type { TokenLogits } from '../../../language/sampling/token-logits.js';
import type { Forward, ForwardWish, Span, TokenChoice } from '../forward-interface.js';
import type { ForwardShape } from '../forward-shape.js';
import type { GgufTensor, ReadRange } from '../file/header.js';
import { matricesOf } from '../matrices-of.js';
import type { ModelPlan } from '../model-plan.js';
import { GpuMemory } from './gpu-memory.js';
import { GpuPages } from './gpu-pages.js';
import { loadGpuWeights } from './load-gpu-weights.js';
import { type PlacedModel, VectorPlaces } from './place-model.js';
import { type Pipeline, Pipelines } from './pipelines.js';
import { type Dispatch, dispatch, type PassBuffers, ROW_CLASSES, type RowClass, wordOf } from './dispatch.js';
import { LOGIT_ROWS, logitRowsOf, MOST_ROWS, passBytes, splitRowsOf } from './pass-buffers.js';
import { Program } from './program.js';
import type { StoredTable } from './stored-table.js';
import { StagingBuffers } from './staging.js';
import { ATTEND_ROWS, CHOICES, PLAN, SPLIT } from './shaders/sizes.js';
import { DEFAULT_TUNING, type ShaderTuning } from './shaders/tuning.js';

/** Rows of a pass until one was measured, at most, and the least. */
const FIRST_ROWS = 64;
const LEAST_ROWS = 8;
/** Products that the first pass has at most: a fraction of a second, of a small GPU too. */
const FIRST_PRODUCTS = 4e10;
/** Milliseconds that a pass may take: Windows resets a device whose work lasts seconds, and aborts wait for a pass. */
const PASS_MS = { least: 50, most: 100 };

interface GpuForwardOptions {
  device: GPUDevice;
  plan: ModelPlan;
  shape: ForwardShape;
  placed: PlacedModel;
  /** @default the one that every GPU computes with */
  tuning?: ShaderTuning;
  /** Shaders that another model of the device has compiled. */
  pipelines?: Pipelines;
  /** Bytes of a binding. */
  limit: number;
  /** Most rows of a pass. */
  maxRows?: number;
  /** Of inputs of layers, where it is in no slab. */
  table?: StoredTable | undefined;
}

/** A pass that is laid out. */
interface Layout {
  rows: number;
  /** Sequences. */
  spans: number;
  wishes: number;
  splits: number;
  /** Of rows that follow each other. */
  tiles: number;
  /** How the token of each wish is chosen. */
  choices: number[];
}

export class GpuForward implements Forward {
  readonly pages: GpuPages;
  readonly choosesTokens = true;
  readonly #device: GPUDevice;
  readonly #memory: GpuMemory;
  readonly #shape: ForwardShape;
  readonly #options: GpuForwardOptions;
  readonly #places: VectorPlaces;
  readonly #vectors: GPUBuffer;
  readonly #slabs: Map<PlacedModel['places']['slabs'][number], GPUBuffer>;
  readonly #buffers: PassBuffers;
  readonly #program: Program;
  readonly #staging: StagingBuffers;
  readonly #maxRows: number;
  readonly #logitRows: number;
  readonly #splitRows: number;
  readonly #words: Uint32Array<ArrayBuffer>;
  readonly #state: Uint32Array<ArrayBuffer>;
  /** Numbers of rows whose shaders are compiled. */
  readonly #ready = new Set<RowClass>();
  #rows: number;

  constructor(options: GpuForwardOptions) {
    const { device, plan, shape, placed, limit, maxRows = MOST_ROWS, pipelines = new Pipelines(device) } = options;
    const { tuning = DEFAULT_TUNING } = options;
    this.#options = options;
    this.#device = device;
    this.#shape = shape;
    this.#maxRows = maxRows;
    this.#rows = Math.min(firstRows(plan), maxRows);
    this.#logitRows = logitRowsOf(shape.vocabulary, limit);
    this.#splitRows = splitRowsOf(shape, limit);
    const memory = new GpuMemory(device);
    this.#memory = memory;
    this.#slabs = new Map(placed.places.slabs.map((slab) => [slab, memory.buffer(slab.bytes)]));
    this.#places = new VectorPlaces(plan, shape);
    this.#vectors = memory.buffer(this.#places.count * 4);
    const sizes = Object.entries(passBytes(shape, maxRows, limit));
    this.#buffers = Object.fromEntries(sizes.map(([name, bytes]) => [name, memory.buffer(bytes)])) as PassBuffers;
    this.#words = new Uint32Array(passBytes(shape, maxRows, limit).plan / 4);
    this.#state = new Uint32Array(Math.max(maxRows, LOGIT_ROWS) * 4);
    this.pages = new GpuPages(memory, shape, limit);
    this.#program = new Program({
      memory,
      pipelines,
      plan,
      shape,
      tuning,
      placed,
      slabs: this.#slabs,
      places: this.#places,
      vectors: this.#vectors,
      buffers: this.#buffers,
      mostRows: Math.max(maxRows, LOGIT_ROWS),
      kv: () => this.pages.layers,
      states: () => this.pages.states?.layers ?? [],
    });
    const { states } = this.pages;
    this.pages.onMoved = () => this.#program.bindKeys();
    if (states) states.onMoved = this.pages.onMoved;
    this.#staging = new StagingBuffers(memory);
  }

  /** What a pass looks up on the CPU must be known there. */
  get readsAhead(): boolean {
    return !this.#options.table;
  }

  get contextLength(): number {
    return this.#shape.contextLength;
  }

  /** Rows of a pass: as many as take a moment. */
  get passRows(): number {
    return this.#rows;
  }

  /** Brings weights and angles to the GPU. @param read see {@link loadGpuWeights} @throws InferenceError */
  async load(file: string, read: ReadRange): Promise<void> {
    const { placed, plan } = this.#options;
    const vectors = { buffer: this.#vectors, at: this.#places.at };
    const weights = { slabs: this.#slabs, places: placed.places, vectors, keep: plan.ropeFactors };
    const factors = await loadGpuWeights(this.#memory, weights, file, read);
    for (const { at, numbers } of this.#places.angles(factors)) this.#memory.write(this.#vectors, at * 4, numbers);
  }

  /** Compiles what passes of so many rows need. @param onStep is told how many are done, of how many */
  async compile(classes: readonly RowClass[], onStep: (done: number, all: number) => void = () => {}): Promise<void> {
    const all = new Set(classes.flatMap((rows) => [...this.#program.pipelinesOf(rows)]));
    let done = 0;
    const one = async (pipeline: Pipeline): Promise<void> => {
      await pipeline.compile();
      done += 1;
      onStep(done, all.size);
    };
    const saving = new Set(classes.flatMap((rows) => [...this.#program.savingOf(rows)]));
    // A shader for 256 threads may be more than a GPU's registers hold.
    const tried = [...saving].map((pipeline) => pipeline.compile().catch(() => {}));
    await Promise.all([...[...all].map(one), ...tried]);
    for (const rows of classes) this.#ready.add(rows);
  }

  bring(spans: readonly Span[]): Promise<void> | undefined {
    return this.#options.table?.bring(spans.flatMap(({ tokens }) => tokens));
  }

  async run(spans: readonly Span[], wish: ForwardWish = 'logits'): Promise<TokenLogits[][]> {
    const started = performance.now();
    for (const { kv, tokens } of spans) kv.reserve(tokens.length);
    this.#writeStored(spans);
    const layout = this.#layOut(spans);
    const encoder = this.#device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    this.#encodeLayers(pass, layout);
    const rounds = Math.max(1, Math.ceil(layout.wishes / this.#logitRows));
    const first = this.#finish(encoder, pass, { layout, wish, round: 0 });
    const given = [first];
    for (let round = 1; round < rounds; round++) {
      const next = this.#device.createCommandEncoder();
      given.push(this.#finish(next, next.beginComputePass(), { layout, wish, round }));
    }
    for (const { kv, tokens } of spans) kv.advance(tokens.length);
    const rows = (await Promise.all(given)).flat();
    if (layout.wishes === 0) await this.#device.queue.onSubmittedWorkDone();
    this.#measure(layout.rows, performance.now() - started);
    return spans.map(({ keep }) => rows.splice(0, keep));
  }

  destroy(): void {
    this.#memory.freeAll();
  }

  /** As many rows as take {@link PASS_MS}. */
  #measure(rows: number, ms: number): void {
    if (rows < this.#rows) return;
    if (ms > PASS_MS.most) this.#rows = Math.max(LEAST_ROWS, this.#rows / 2);
    else if (ms < PASS_MS.least) this.#rows = Math.min(this.#maxRows, this.#rows * 2);
  }

  /** Writes what each row is, and what is wished behind which. */
  #layOut(spans: readonly Span[]): Layout {
    const words = this.#words;
    const most = Math.max(this.#maxRows, LOGIT_ROWS);
    const rowsAt = PLAN.header;
    const wishesAt = rowsAt + most * PLAN.rowWords;
    const tilesAt = wishesAt + most * PLAN.wishWords;
    const spansAt = tilesAt + most;
    const layout: Layout = { rows: 0, spans: 0, wishes: 0, splits: 1, tiles: 0, choices: [] };
    let table = spansAt + most * PLAN.spanWords;
    const states = this.pages.states?.take(spans.map(({ kv }) => kv.state));
    for (const { kv, tokens, keep, choose } of spans) {
      if (layout.rows + tokens.length > most) throw new RangeError(`A pass has at most ${most} rows.`);
      words.set(kv.pages, table);
      const { from, to } = states?.[layout.spans] ?? { from: 0, to: 0 };
      words.set([layout.rows, tokens.length, from, to], spansAt + layout.spans++ * PLAN.spanWords);
      for (let first = 0; first < tokens.length; first += ATTEND_ROWS) {
        const count = Math.min(ATTEND_ROWS, tokens.length - first);
        words[tilesAt + layout.tiles++] = (layout.rows + first) | (count << 16);
      }
      for (const [index, token] of tokens.entries()) {
        this.#state.set([token, kv.length + index, 0, 0], layout.rows * 4);
        words[rowsAt + layout.rows * PLAN.rowWords] = table;
        const kept = index - (tokens.length - keep);
        if (kept >= 0) this.#wish(wishesAt, layout, choose?.[kept]);
        layout.rows += 1;
      }
      table += kv.pages.length;
      layout.splits = Math.max(layout.splits, Math.floor((kv.length + tokens.length - 1) / SPLIT) + 1);
    }
    words.set([layout.rows, 0, wishesAt, 0, rowsAt, layout.splits, tilesAt, spansAt]);
    this.#memory.write(this.#buffers.plan, 0, words.subarray(0, table));
    const isFollowing = spans.length > 0 && spans.every((span) => span.isFollowing);
    if (!isFollowing) this.#memory.write(this.#buffers.state, 0, this.#state.subarray(0, layout.rows * 4));
    return layout;
  }

  /** Writes what tokens have in a table that the GPU has not. */
  #writeStored(spans: readonly Span[]): void {
    const { table } = this.#options;
    if (!table) return;
    let row = 0;
    for (const { tokens, isFollowing } of spans) {
      if (isFollowing) throw new TypeError('The tokens of a pass must be known, because their inputs are looked up.');
      for (const token of tokens) {
        const numbers = table.rowOf(token);
        this.#memory.write(this.#buffers.stored, row * numbers.byteLength, numbers);
        row += 1;
      }
    }
  }

  #wish(wishesAt: number, layout: Layout, choice: TokenChoice | undefined): void {
    const at = wishesAt + layout.wishes * PLAN.wishWords;
    const how = choice ? (choice.temperature === 0 ? CHOICES.greatest : CHOICES.drawn) : CHOICES.none;
    const { seed, temperature, topK, topP, minP } = choice ?? { seed: 0, temperature: 0, topK: 0, topP: 1, minP: 0 };
    const inverse = temperature > 0 ? 1 / temperature : 1;
    this.#words.set([layout.rows, seed, wordOf(inverse), topK, wordOf(topP), wordOf(minP), how, 0], at);
    layout.wishes += 1;
    layout.choices.push(how);
  }

  #encodeLayers(pass: GPUComputePassEncoder, { rows, spans, wishes, splits, tiles }: Layout): void {
    const rowClass = this.#classOf(rows);
    const isSplit = splits > 1 && rows <= this.#splitRows;
    const isTiled = tiles * 2 <= rows;
    const go = (step: Dispatch): void => {
      if (!isSplit || !step.split) {
        if (isTiled && step.tiled?.pipeline.made) dispatch(pass, step.tiled, tiles);
        else dispatch(pass, step, step.isBySpan ? spans : rows);
      } else for (const [index, part] of step.split.entries()) dispatch(pass, part, rows, index === 0 ? splits : 1);
    };
    for (const step of this.#program.looking) go(step);
    for (const step of this.#program.reading.get(rowClass)!) go(step);
    if (wishes > 0) for (const step of this.#program.attending.get(rowClass)!) go(step);
    if (wishes > 0 && !areFew(rows, wishes)) for (const step of this.#program.thinking.get(rowClass)!) go(step);
  }

  /** The smallest number of rows whose shaders are there. Bits do not depend on it. */
  #classOf(rows: number): RowClass {
    return ROW_CLASSES.find((each) => this.#ready.has(each) && (each === 'tile' || rows <= each)) ?? 'tile';
  }

  /** Ends a pass, or a round of wishes, and submits it. @returns what is wished */
  #finish(
    encoder: GPUCommandEncoder,
    pass: GPUComputePassEncoder,
    { layout, wish, round }: { layout: Layout; wish: ForwardWish; round: number },
  ): Promise<TokenLogits[]> {
    const first = round * this.#logitRows;
    const count = Math.min(this.#logitRows, layout.wishes - first);
    const { queue } = this.#device;
    if (count <= 0) {
      pass.end();
      queue.submit([encoder.finish()]);
      return Promise.resolve([]);
    }
    this.#memory.write(this.#buffers.plan, 4, Uint32Array.of(count));
    this.#memory.write(this.#buffers.plan, 12, Uint32Array.of(first));
    const { wishedThinking, wishedNorm, wishing } = this.#program;
    const last = areFew(layout.rows, layout.wishes)
      ? [...wishedThinking.get(this.#classOf(count))!, ...wishedNorm]
      : wishing;
    for (const step of last) dispatch(pass, step, count);
    const given =
      wish === 'states' ? this.#states(encoder, pass, count) : this.#choose(encoder, pass, { layout, count, first });
    queue.submit([encoder.finish()]);
    return given();
  }

  #states(encoder: GPUCommandEncoder, pass: GPUComputePassEncoder, count: number): () => Promise<TokenLogits[]> {
    pass.end();
    const { width } = this.#shape;
    const read = this.#staging.copy(encoder, this.#buffers.y, 0, count * width * 4);
    return async () => rowsOf(new Float32Array(await read()), width);
  }

  #choose(
    encoder: GPUCommandEncoder,
    pass: GPUComputePassEncoder,
    { layout, count, first }: { layout: Layout; count: number; first: number },
  ): () => Promise<TokenLogits[]> {
    const { vocabulary } = this.#shape;
    const choices = layout.choices.slice(first, first + count);
    for (const step of this.#program.heads.get(this.#classOf(count))!) dispatch(pass, step, count);
    if (choices.includes(CHOICES.greatest)) for (const step of this.#program.greatest) dispatch(pass, step, count);
    if (choices.includes(CHOICES.drawn)) for (const step of this.#program.drawing) dispatch(pass, step, count);
    pass.end();
    const isChosen = (how: number): boolean => how !== CHOICES.none;
    const logits = choices.every(isChosen)
      ? undefined
      : this.#staging.copy(encoder, this.#buffers.logits, 0, count * vocabulary * 4);
    const tokens = choices.some(isChosen)
      ? this.#staging.copy(encoder, this.#buffers.ids, first * 4, count * 4)
      : undefined;
    return async () => {
      const [read, chosen] = await Promise.all([logits?.(), tokens?.()]);
      const rows = read && rowsOf(new Float32Array(read), vocabulary);
      const ids = chosen && new Int32Array(chosen);
      return choices.map((how, index) => (isChosen(how) ? { sampled: [ids![index]!] } : rows![index]!));
    };
  }
}

/** Whether bringing wished rows together saves more than it costs. */
const areFew = (rows: number, wishes: number): boolean => wishes * 2 <= rows && rows > 8;

/** A power of two, as the numbers of rows that follow. */
function firstRows(plan: ModelPlan): number {
  const weights = matricesOf(plan, { isStored: true }).reduce(
    (sum, { tensor, rows }) => sum + rows * tensor.shape[0]! * shareOf(tensor, plan),
    0,
  );
  const most = 2 ** Math.floor(Math.log2(FIRST_PRODUCTS / weights));
  return Math.min(FIRST_ROWS, Math.max(LEAST_ROWS, most));
}

/** Of the weights of a tensor those that a row is multiplied with. */
function shareOf({ shape: [, , count = 1] }: GgufTensor, { shape: { experts } }: ModelPlan): number {
  return experts && count > 1 ? Math.max(...experts.used) / count : 1;
}

const rowsOf = (numbers: Float32Array<ArrayBuffer>, columns: number): Float32Array<ArrayBuffer>[] =>
  Array.from({ length: numbers.length / columns }, (_, row) => numbers.subarray(row * columns, (row + 1) * columns));
