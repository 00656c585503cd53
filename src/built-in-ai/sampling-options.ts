/** How a session chooses tokens. @module */
import { oneOf } from './idl.js';

export const MAX_TOP_K = 128;
export const MAX_TEMPERATURE = 2;
/** What a request without any field of sampling gets: the most likely token. */
export const DEFAULTS = { temperature: 0, topK: 1 } as const;

const MODES = ['most-predictable', 'predictable', 'balanced', 'creative', 'most-creative'] as const;
const TEMPERATURES = { 'most-predictable': 0, predictable: 0.3, balanced: 0.7, creative: 1, 'most-creative': 1.3 };

export interface Sampling {
  /** Fields of the request. */
  fields: { temperature?: number; top_k?: number };
  mode: (typeof MODES)[number] | null;
  temperature: number | null;
  topK: number | null;
}

/** @throws TypeError or RangeError */
export function readSampling({ samplingMode, temperature, topK }: Record<string, unknown>): Sampling {
  if (samplingMode !== undefined) {
    const mode = oneOf(samplingMode, MODES, 'samplingMode');
    if (temperature !== undefined || topK !== undefined)
      throw new TypeError('`samplingMode` replaces `temperature` and `topK`. Set only one of them.');
    return { fields: { temperature: TEMPERATURES[mode] }, mode, temperature: null, topK: null };
  }
  if (temperature === undefined && topK === undefined) return { fields: {}, mode: null, ...DEFAULTS };
  const heat = within(temperature, { name: 'temperature', min: 0, max: MAX_TEMPERATURE });
  const most = within(topK, { name: 'topK', min: 1, max: MAX_TOP_K });
  const top = most === null ? null : Math.floor(most);
  return {
    fields: { ...(heat !== null && { temperature: heat }), ...(top !== null && { top_k: top }) },
    mode: null,
    temperature: heat,
    topK: top,
  };
}

/** What is higher than the model takes is lowered. */
function within(value: unknown, { name, min, max }: { name: string; min: number; max: number }): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new TypeError(`\`${name}\` must be a number.`);
  if (number < min) throw new RangeError(`\`${name}\` must be at least ${min}.`);
  return Math.min(number, max);
}
