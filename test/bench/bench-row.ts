/** One line of the benchmark's table. */
export interface BenchRow {
  name: string;
  /** Our number and the bare library's, both measured in the same run, in `unit`. */
  ours: number;
  peer: number;
  /** `ours / peer`; for rows in `ms`, `ours - peer`. */
  ratio: number;
  /** What `ratio` should reach, or with `lower` stay under; undefined: it says nothing of what people have. */
  goal?: number | undefined;
  unit: string;
  /** A smaller ratio is better. */
  lower?: boolean;
}

/** The middle value; robust against the machine's hiccups. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Measures two things in turns, so that both feel the same hiccups, and compares their medians.
 * @param rounds how often each is measured, after one unmeasured warm-up
 */
export async function compare(
  row: Omit<BenchRow, 'ours' | 'peer' | 'ratio'>,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  rounds = 5,
): Promise<BenchRow> {
  await ours();
  await peer();
  const numbers: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    numbers[0].push(await ours());
    numbers[1].push(await peer());
  }
  const [own, other] = [median(numbers[0]), median(numbers[1])];
  return { ...row, ours: own, peer: other, ratio: row.unit === 'ms' ? own - other : own / other };
}
