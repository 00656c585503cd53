/** Sizes that shaders and what runs them share. @module */
/** Rows of weights of a thread. */
export const HEIGHT = 4;
/** A tile of a product for many rows. */
export const TILE = { rows: 64, tokens: 32, threads: 128 } as const;
/** Matrices that a product takes together at most. */
export const MOST_PARTS = 4;
/** Positions that a workgroup of attention reads at a time. */
export const SPLIT = 256;
/** Rows of a prompt that share what a workgroup of attention reads. */
export const ATTEND_ROWS = 4;
/** Experts of a layer at most, and those that a row takes. */
export const [MOST_EXPERTS, MOST_USED] = [1024, 64] as const;
/** Rows that share what is read of an expert. */
export const EXPERT_ROWS = 8;
/** Workgroups that look for the largest logit of a row. */
export const BEST_GROUPS = 64;

/**
 * What a pass is told, in words. First the header; then of each row where its table of pages begins; then the wishes; then of
 * each tile of attention its first row and, times 65,536, how many; then the sequences; then the tables.
 */
export const PLAN = {
  /** Rows, wishes of this round, where wishes begin, the first wish of this round, where rows begin, splits, where tiles begin, where sequences begin. */
  header: 16,
  rowWords: 2,
  /** Row, seed, 1 / temperature, k, p, min-p, how its token is chosen, unused. */
  wishWords: 8,
  /** First row of a sequence, how many, and where its state was and will be: only where there are states. */
  spanWords: 4,
} as const;

/** How the token of a wish is chosen. */
export const CHOICES = { none: 0, greatest: 1, drawn: 2 } as const;

/** No bias, no norm. */
export const NONE = 0xffffffff;

/** Bytes of workgroup memory that every adapter has. */
const WORKGROUP_BYTES = 16_384;

/** Heads of queries of a workgroup of attention: those of a head of keys, or as many as workgroup memory holds. */
export function attendedHeads(size: number, heads: number, kvHeads: number): number {
  const all = heads / kvHeads;
  for (let share = all; share > 1; share--) {
    const bytes = share * (4 * size + 4 * SPLIT + 256 + 32) + 2048;
    if (all % share === 0 && bytes <= WORKGROUP_BYTES) return share;
  }
  return 1;
}

/** Numbers of heads that a workgroup of a tile sums up for a row, at most: its threads have them in registers. */
const tileNumbers = (size: number): number => (size > 256 ? 1024 : 2048);

/** The same where rows share what is read: a thread has 12 numbers of each of them. */
export function tiledHeads(size: number, heads: number, kvHeads: number): number {
  const all = heads / kvHeads;
  return range(8).findLast((share) => all % (share + 1) === 0 && (share + 1) * size <= tileNumbers(size))! + 1;
}

/** From 0 to before `count`. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** WGSL of each of a list, one behind the other. */
export const each = <Item>(items: readonly Item[], code: (item: Item) => string, between = '\n'): string =>
  items.map(code).join(between);
