/** Answers without what differs from run to run. */

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  headers: [string, string][];
  base64: string;
}

/** Of Node's HTTP, not of the service. */
const OF_TRANSPORT = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/** Counts what was asked in the last minute, which passes in the page only. */
const OF_A_MINUTE = ['x-ratelimit-remaining-requests'];

/** Counts of those who have one counter: what one asks, the others see. */
export const SHARED_COUNTS = [...OF_A_MINUTE, 'x-ratelimit-remaining-requests-day'];

/** Ids and times, in all forms in which the service writes them. */
const CHANGING: [pattern: RegExp, instead: string][] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '<id>'],
  [/\b(call|chatcmpl|cmpl|fc|item|msg|resp|rs|toolu)_[\w-]+/g, '$1_<id>'],
  [/"(created|created_at|completed_at|\w+_duration)":\d+/g, '"$1":"<time>"'],
  // How quickly it went; absent where the clock stood still.
  [/,"(\w+_per_sec\w*|time_to_first_token\w*|total_latency|start_time|end_time)":[\d.e-]+/g, ''],
  // Unix seconds.
  [/\b1[78]\d{8}\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
];

/**
 * What two runs have in common: sound as it is, texts without ids and times.
 * @param counts headers that count otherwise in the other run
 */
export function plainAnswer({ status, headers, base64 }: RawAnswer, counts: readonly string[] = OF_A_MINUTE): unknown {
  const sent = headers
    .filter(([name]) => !OF_TRANSPORT.has(name))
    .map(([name, value]) => [name, counts.includes(name) ? '<count>' : withoutIds(value)]);
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const body = type.startsWith('audio/') ? base64 : withoutIds(Buffer.from(base64, 'base64').toString('utf8'));
  return { status, headers: Object.fromEntries(sent) as unknown, body };
}

function withoutIds(text: string): string {
  return CHANGING.reduce((changed, [pattern, instead]) => changed.replace(pattern, instead), text);
}
