/** How large the buffers are that passes compute in. @module */
import { pagesOf } from '../kv-pages.js';
import type { PassBuffers } from './dispatch.js';
import { type ForwardShape, type LayerShape, recurrentWidth } from '../forward-shape.js';
import { mostOf } from './layer-heads.js';
import { scoreSize, slotSize, slotsOf, takersAt } from './routed-layers.js';
import { qkvStride } from './shaders/rotate.js';
import { mixedRow } from './shaders/recurrent.js';
import { attendedHeads, BEST_GROUPS, PLAN, SPLIT } from './shaders/sizes.js';

/** Rows of a pass at most. */
export const MOST_ROWS = 256;
/** Wishes whose logits are computed together, which bounds the memory for them. */
export const LOGIT_ROWS = 32;
/** Workgroups that keep a GPU busy: with fewer, positions are read side by side. */
const BUSY_GROUPS = 64;

/** Bytes of what a pass computes in, in the order of {@link PassBuffers}. */
export function passBytes(
  shape: ForwardShape,
  maxRows = MOST_ROWS,
  limit = Infinity,
): Record<keyof PassBuffers, number> {
  const { width, layers, layerInput = 0, vocabulary, contextLength, experts } = shape;
  const most = Math.max(maxRows, LOGIT_ROWS);
  const floats = (columns: number, rows = most): number => rows * columns * 4;
  const inner = Math.max(layerInput, ...shape.layerShapes.map((layer) => layer.feedForward ?? shape.feedForward));
  const tables = most * Math.max(8, pagesOf(contextLength));
  const given = shape.recurrent ? recurrentWidth(shape.recurrent) : 0;
  const attended = Math.max(
    given,
    mostOf(shape, ({ heads, size }) => heads * size),
  );
  const has = (sort: LayerShape['mixer']): boolean => shape.layerShapes.some(({ mixer }) => mixer === sort);
  const mixed = has('both') ? given : 0;
  return {
    x: floats(width),
    y: floats(width),
    // Beside experts there may be what a network gave.
    branch: floats(experts?.beside ? 2 * width : width),
    qkv: floats(mostOf(shape, qkvStride)),
    attended: floats(attended),
    wishedX: floats(width, LOGIT_ROWS),
    wishedAttended: floats(attended, LOGIT_ROWS),
    mixing: floats(shape.recurrent && has('recurrent') ? mixedRow(shape.recurrent).stride : 0),
    mixed: floats(mixed),
    wishedMixed: floats(mixed, LOGIT_ROWS),
    // A row is inside of each of the experts that it takes.
    inner: floats(Math.max(inner, experts ? slotsOf(experts) * slotSize(experts) : 0)),
    up: floats(inner),
    inputs: floats(layers * layerInput),
    stored: floats(layers * layerInput),
    wishedInputs: floats(layers * layerInput, LOGIT_ROWS),
    scores: floats(experts ? scoreSize(experts) : 0),
    routes: experts ? takersAt(experts, most).end * 4 : 0,
    given: floats(experts ? slotsOf(experts) * width : 0),
    logits: floats(vocabulary, logitRowsOf(vocabulary, limit)),
    pieces: splitRowsOf(shape, limit) * pieceBytes(shape),
    best: LOGIT_ROWS * BEST_GROUPS * 8,
    ids: most * 4,
    plan: (PLAN.header + most * (PLAN.rowWords + PLAN.wishWords + 1 + PLAN.spanWords) + tables) * 4,
    state: most * 16,
  };
}

/** Wishes of a round. */
export const logitRowsOf = (vocabulary: number, limit: number): number =>
  Math.max(1, Math.min(LOGIT_ROWS, Math.floor(limit / (vocabulary * 4))));

const pieceBytes = (shape: ForwardShape): number =>
  Math.ceil(shape.contextLength / SPLIT) * mostOf(shape, ({ heads, size }) => heads * (size + 2) * 4);

/** Rows whose positions may be read side by side. */
export function splitRowsOf(shape: ForwardShape, limit: number): number {
  const groups = mostOf(shape, ({ size, heads, kvHeads }) => heads / attendedHeads(size, heads, kvHeads));
  const wanted = Math.min(8, Math.max(1, Math.floor(BUSY_GROUPS / groups)));
  return Math.min(wanted, Math.floor(limit / pieceBytes(shape)));
}
