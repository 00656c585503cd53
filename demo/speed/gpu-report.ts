/** What was measured on a GPU, as a text for the terminal, for the documents or for an issue. @module */
import type { GpuSpeeds, ModelSpeeds } from './measure-gpu.js';

const rate = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const gigabytes = (bytes: number): string => `${rate(bytes / 1e9)} GB/s`;

export function gpuReport({ adapter, where, isSimulated, hasTimestamps, read, copy, models }: GpuSpeeds): string {
  const header = [
    'model',
    'one answer, tokens/s',
    'of the bandwidth',
    'eight answers',
    'prompt',
    'behind positions',
    'their prompt',
    'WASM, one thread',
  ];
  const rows = models.map(({ name, weightBytes, decode, eight, prompt, far, wasm }) => [
    name,
    rate(decode),
    `${((100 * decode * weightBytes) / read).toFixed(0)} %`,
    rate(eight),
    rate(prompt),
    `${rate(far.decode)} (${far.positions})`,
    rate(far.prompt),
    wasm === undefined ? '' : rate(wasm),
  ]);
  return [
    `GPU: ${adapter}${isSimulated ? ' (simulated by the processor: these are no speeds of a GPU)' : ''}`,
    `Runs in: ${where}`,
    `Memory: ${gigabytes(read)} read by a shader, ${gigabytes(copy)} read and written by a copy`,
    `Times of shaders: ${hasTimestamps ? 'by the GPU' : 'between submit and end'}`,
    '',
    ...table(header, rows),
    ...models.flatMap((model) => ['', tuningLine(model), '', ...sharesTable(model)]),
    '',
  ].join('\n');
}

/** Which shape its shaders had, and the times of the others. */
function tuningLine({ name, tunings }: ModelSpeeds): string {
  const { chosen, row, tile } = tunings;
  const ms = (seconds: number): string => `${(1000 * seconds).toFixed(2)} ms`;
  const sums = row.map(({ lanes, seconds }) => `${lanes} sums ${ms(seconds)}`);
  const codes = tile.map(({ halves, seconds }) => `codes of ${halves ? 16 : 32} bits ${ms(seconds)}`);
  const taken = `${chosen.lanes} sums a row of weights, codes of ${chosen.halves ? 16 : 32} bits`;
  return `${name}: shaders with ${taken} (one answer: ${sums.join(', ')}; a prompt: ${codes.join(', ')})`;
}

function sharesTable({ name, shares }: ModelSpeeds): string[] {
  const all = shares.reduce((sum, { ms }) => sum + ms, 0);
  const rows = shares.map(({ shader, dispatches, ms }) => [
    shader,
    String(dispatches),
    ms.toFixed(3),
    `${((100 * ms) / all).toFixed(0)} %`,
  ]);
  return table([`${name}: shaders of a token`, 'dispatches', 'ms', 'share'], rows);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((cell, column) => Math.max(cell.length, 3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
