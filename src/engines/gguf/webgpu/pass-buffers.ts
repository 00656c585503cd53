/** How large the buffers are that passes compute in. @module */
import { pagesOf } from '../kv-pages.js';
import type { PassBuffers } from './dispatch.js';
import { type ForwardShape, recurrentWidth } from '../forward-shape.js';
import { qkvWidth } from './shaders/rotate.js';
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
  const { width, heads, kvHeads, headSize, feedForward, vocabulary, contextLength } = shape;
  const most = Math.max(maxRows, LOGIT_ROWS);
  const floats = (columns: number, rows = most): number => rows * columns * 4;
  const tables = most * Math.max(8, pagesOf(contextLength));
  const given = shape.recurrent ? recurrentWidth(shape.recurrent) : 0;
  const attended = Math.max(heads * headSize, given);
  const mixed = shape.layerShapes.some(({ mixer }) => mixer === 'both') ? given : 0;
  return {
    x: floats(width),
    y: floats(width),
    branch: floats(width),
    qkv: floats(qkvWidth({ size: headSize, heads, kvHeads, isGated: shape.isQueryGated === true })),
    attended: floats(attended),
    wishedX: floats(width, LOGIT_ROWS),
    wishedAttended: floats(attended, LOGIT_ROWS),
    mixing: floats(shape.recurrent ? mixedRow(shape.recurrent).stride : 0),
    mixed: floats(mixed),
    wishedMixed: floats(mixed, LOGIT_ROWS),
    inner: floats(feedForward),
    up: floats(feedForward),
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

const pieceBytes = ({ heads, headSize, contextLength }: ForwardShape): number =>
  Math.ceil(contextLength / SPLIT) * heads * (headSize + 2) * 4;

/** Rows whose positions may be read side by side. */
export function splitRowsOf(shape: ForwardShape, limit: number): number {
  const groups = shape.heads / attendedHeads(shape.headSize, shape.heads, shape.kvHeads);
  const wanted = Math.min(8, Math.max(1, Math.floor(BUSY_GROUPS / groups)));
  return Math.min(wanted, Math.floor(limit / pieceBytes(shape)));
}
