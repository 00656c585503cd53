/** The inputs of an encoder's graph, whatever it was exported with. @module */
import { createTensor, type OnnxSession, type OnnxTensor, type OnnxValueInfo } from '../ort/onnx-session.js';
import { SequenceState } from '../cache/sequence-state.js';
import { notSupported } from '../repository/not-supported.js';

/** Token ids per text, special tokens included. */
export type Batch = readonly (readonly number[])[];

/** Values of one token by the input's name; what is beyond a text's end is 0, and its id the padding's. */
const OF_TOKENS: Readonly<Record<string, (id: number, position: number, types?: readonly number[]) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: (_, position, types) => types?.[position] ?? 0,
  position_ids: (_, position) => position,
};

/**
 * Refuses graphs with inputs that nothing fills.
 * @param inputs of the catalog entry
 * @throws InferenceError `model_not_supported`
 */
export function checkInputs(
  { inputMetadata }: Pick<OnnxSession, 'inputMetadata'>,
  inputs: Readonly<Record<string, number>>,
): void {
  if (isTokenTable({ inputMetadata })) return;
  const open = inputMetadata.filter((info) => !(info.name in OF_TOKENS || isCache(info) || info.name in inputs));
  if (open.length === 0) return;
  const names = open.map(({ name }) => `\`${name}\``).join(', ');
  throw notSupported(
    `its graph has inputs that cannot be filled from a text (${names}). Set them in its entry: \`inputs: { ${open[0]!.name}: 0 }\``,
  );
}

/** The graph is a table of vectors, of which it gives the mean for each text (`EmbeddingBag`): Model2Vec and potion. */
export function isTokenTable({ inputMetadata }: Pick<OnnxSession, 'inputMetadata'>): boolean {
  const names = inputMetadata.map(({ name }) => name);
  return names.length === 2 && names.includes('input_ids') && names.includes('offsets');
}

/** All tokens in one row, and where each text begins. */
function tableFeeds(inputMetadata: readonly OnnxValueInfo[], batch: Batch): Record<string, OnnxTensor> {
  let begin = 0;
  const offsets = batch.map(({ length }) => (begin += length) - length);
  const values: Readonly<Record<string, readonly number[]>> = { input_ids: batch.flat(), offsets };
  return Object.fromEntries(
    inputMetadata.map(({ name, type }) => [name, tensorOf(type, values[name]!, [values[name]!.length])]),
  );
}

/** An input for what earlier tokens left, of which there are none. */
export function isCache({ name }: Pick<OnnxValueInfo, 'name'>): boolean {
  return name.startsWith('past') || name === 'use_cache_branch';
}

/** What a batch is fed with beside its tokens. */
export interface FeedOptions {
  padToken: number;
  /** Numbers for inputs that no text gives, from the catalog entry. */
  inputs: Readonly<Record<string, number>>;
  /** Of each text the `token_type_ids` of its tokens. @default zeros */
  types?: Batch;
  /** For graphs that have rows and heads in one dimension of their cache. @default 1 */
  heads?: number | undefined;
}

export function feedsFor(
  session: Pick<OnnxSession, 'inputMetadata'>,
  batch: Batch,
  { padToken, inputs, types, heads }: FeedOptions,
): Record<string, OnnxTensor> {
  if (isTokenTable(session)) return tableFeeds(session.inputMetadata, batch);
  const rows = batch.length;
  const columns = Math.max(...batch.map((ids) => ids.length));
  const feeds: Record<string, OnnxTensor> = { ...SequenceState.empty(session, rows, heads).tensors };
  for (const info of session.inputMetadata) {
    const { name } = info;
    const valueOf = OF_TOKENS[name];
    if (name in inputs) feeds[name] = filled(info, inputs[name]!, [rows, columns]);
    else if (name === 'use_cache_branch') feeds[name] = createTensor('bool', Uint8Array.of(0), [1]);
    else if (valueOf) {
      const beyond = name === 'input_ids' ? padToken : 0;
      const values = Array.from({ length: rows * columns }, () => beyond);
      for (const [row, ids] of batch.entries())
        for (const [position, id] of ids.entries())
          values[row * columns + position] = valueOf(id, position, types?.[row]);
      // Positions of three numbers, time, height and width, are alike for text.
      const axes = name === 'position_ids' && info.shape.length === 3 ? [3] : [];
      const all = axes.length > 0 ? [...values, ...values, ...values] : values;
      feeds[name] = tensorOf(info.type, all, [...axes, rows, columns]);
    }
  }
  return feeds;
}

/** A tensor of one number. A dimension without a size is that of the batch, or of its tokens. */
function filled({ type, shape }: OnnxValueInfo, value: number, [rows, columns]: [number, number]): OnnxTensor {
  const dims = shape.map((size) => (typeof size === 'number' ? size : size.includes('batch') ? rows : columns));
  const length = dims.reduce((product, size) => product * size, 1);
  const values = Array.from({ length }, () => value);
  return tensorOf(type, values, dims);
}

function tensorOf(type: string, values: readonly number[], dims: readonly number[]): OnnxTensor {
  if (type === 'int64') return createTensor(type, BigInt64Array.from(values, BigInt), dims);
  if (type === 'int32') return createTensor(type, Int32Array.from(values), dims);
  return createTensor('float32', Float32Array.from(values), dims);
}
