/** Reads a Whisper model's parameters from its files. @module */
import type { MelSettings } from './log-mel.js';

/** Parameters of one model. Token ids are those of its own vocabulary. */
export interface WhisperConfig {
  /** Hz. */
  sampleRate: number;
  /** Samples per window. */
  windowSamples: number;
  mel: MelSettings;
  /** Maximum number of tokens of prefix and transcript of one window. */
  maxTokens: number;
  startToken: number;
  endToken: number;
  /** Comes before text of earlier windows. */
  previousToken: number | undefined;
  noSpeechToken: number | undefined;
  noTimestampsToken: number | undefined;
  /** Times within a window; absent in models without them. */
  times?: TimeTokens;
  /** Decoder layers and heads whose cross attention follows the sound; empty when unknown. */
  alignmentHeads: readonly AlignmentHead[];
  /** Frames over which attention is smoothed. */
  medianFilterWidth: number;
  /** Absent in models of one language, which neither detect nor translate. */
  multilingual?: {
    /** Language tokens by ISO code. */
    languages: ReadonlyMap<string, number>;
    transcribeToken: number;
    translateToken: number;
  };
  /** Never chosen. */
  suppressed: ReadonlySet<number>;
  /** Not chosen as a transcript's first token: these and the ones that are never chosen. */
  suppressedFirst: ReadonlySet<number>;
}

/** One token per step of time; their ids follow one another. */
export interface TimeTokens {
  /** The token of 0 s. */
  first: number;
  /** The token of the window's end. */
  last: number;
  /** The token of the latest time with which a window may begin. */
  lastInitial: number;
}

export interface AlignmentHead {
  layer: number;
  head: number;
}

/** Seconds from one time token, and from one state of the encoder, to the next. */
export const TIME_STEP = 0.02;

/** JSON objects as the model's files hold them, and the tokens' ids by their text. */
export interface SpeechFiles {
  config: Record<string, unknown>;
  generation: Record<string, unknown>;
  preprocessor: Record<string, unknown>;
  tokenId: (token: string) => number | undefined;
}

/** Fields that older files lack get the value of all models of that time. */
export function readWhisperConfig({ config, generation, preprocessor, tokenId }: SpeechFiles): WhisperConfig {
  const number = (source: Record<string, unknown>, name: string, otherwise: number): number => {
    const value = source[name];
    return typeof value === 'number' ? value : otherwise;
  };
  const numbers = (value: unknown): number[] =>
    Array.isArray(value) ? value.filter((id): id is number => typeof id === 'number' && id >= 0) : [];
  const sampleRate = number(preprocessor, 'sampling_rate', 16_000);
  const hopSamples = number(preprocessor, 'hop_length', 160);
  // The encoder halves the columns, so its positions give the length of a window.
  const frames = 2 * number(config, 'max_source_positions', 1500);
  const suppressed = numbers(generation['suppress_tokens'] ?? config['suppress_tokens']);
  const first = numbers(generation['begin_suppress_tokens'] ?? config['begin_suppress_tokens']);
  const multilingual = readLanguages(generation, tokenId);
  const noTimestampsToken = optional(generation['no_timestamps_token_id']) ?? tokenId('<|notimestamps|>');
  const times = readTimes(
    tokenId,
    (frames * hopSamples) / sampleRate,
    optional(generation['max_initial_timestamp_index']),
  );
  return {
    sampleRate,
    windowSamples: frames * hopSamples,
    mel: {
      windowSamples: number(preprocessor, 'n_fft', 400),
      hopSamples,
      frames,
      filters: preprocessor['mel_filters'] as number[][],
    },
    maxTokens: number(config, 'max_target_positions', 448),
    startToken: number(config, 'decoder_start_token_id', tokenId('<|startoftranscript|>') ?? 50_258),
    endToken: [config['eos_token_id']].flat().find((id): id is number => typeof id === 'number') ?? 50_257,
    previousToken: optional(generation['prev_sot_token_id']) ?? tokenId('<|startofprev|>'),
    noSpeechToken: tokenId('<|nospeech|>') ?? tokenId('<|nocaptions|>'),
    noTimestampsToken,
    ...(times && { times }),
    alignmentHeads: readAlignmentHeads(generation['alignment_heads']),
    medianFilterWidth: number(config, 'median_filter_width', 7),
    ...(multilingual && { multilingual }),
    suppressed: new Set(suppressed),
    suppressedFirst: new Set([...suppressed, ...first]),
  };
}

function readTimes(tokenId: SpeechFiles['tokenId'], windowSeconds: number, mostInitial = 50): TimeTokens | undefined {
  const first = tokenId('<|0.00|>');
  const last = tokenId(`<|${windowSeconds.toFixed(2)}|>`);
  return first === undefined || last === undefined ? undefined : { first, last, lastInitial: first + mostInitial };
}

function readAlignmentHeads(value: unknown): AlignmentHead[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'number' || typeof pair[1] !== 'number') return [];
    return [{ layer: pair[0], head: pair[1] }];
  });
}

function readLanguages(generation: Record<string, unknown>, tokenId: SpeechFiles['tokenId']) {
  const tokens = generation['lang_to_id'];
  const tasks = (generation['task_to_id'] ?? {}) as Record<string, unknown>;
  const transcribeToken = optional(tasks['transcribe']) ?? tokenId('<|transcribe|>');
  const translateToken = optional(tasks['translate']) ?? tokenId('<|translate|>');
  if (typeof tokens !== 'object' || tokens === null || generation['is_multilingual'] === false) return undefined;
  if (transcribeToken === undefined || translateToken === undefined) return undefined;
  const languages = new Map<string, number>();
  for (const [token, id] of Object.entries(tokens)) {
    if (typeof id === 'number') languages.set(token.replaceAll(/^<\||\|>$/g, ''), id);
  }
  return { languages, transcribeToken, translateToken };
}

function optional(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
