/** Recognisers of one graph that gives a token for each frame of sound (CTC). @module */
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import { yieldToEventLoop } from '../../../core/platform/pause.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../core/request/transcription-request.js';
import { type OnnxSession, type OnnxTensor, toFloat32 } from '../ort/onnx-session.js';
import { rounded } from './align-words.js';
import { chooseToken } from './choose-token.js';
import { CtcWords, type CtcVocabulary, toSegments } from './ctc-words.js';
import type { Recogniser } from './recogniser.js';

/** Seconds that are heard at a time, and how many of them on either side are only heard for what stands beside them. */
const WINDOW = 30;
const CONTEXT = 5;

/** Graphs of convolutions need a few hundred samples; shorter sounds get silence behind them. */
const SHORTEST = 0.25;

/** What tells one such model from another. */
export interface CtcModel {
  /** Hz. */
  sampleRate: number;
  /** Samples from one frame of the graph's logits to the next. */
  frameSamples: number;
  vocabulary: CtcVocabulary;
  /** A window of sound as the graph's inputs, by name. */
  features(samples: Float32Array): Promise<Record<string, OnnxTensor>>;
}

const NOTHING: ReadonlySet<number> = new Set();

export function createCtcRecogniser(model: CtcModel, session: OnnxSession): Recogniser {
  return {
    sampleRate: model.sampleRate,
    contextLength: Math.floor((WINDOW * model.sampleRate) / model.frameSamples),
    translates: false,
    timesWords: true,
    transcribe: (samples, request, signal) => transcribe(model, session, { samples, request, signal }),
  };
}

interface CtcRun {
  samples: Float32Array;
  request: TranscriptionRequest;
  signal: AbortSignal;
}

async function* transcribe(
  model: CtcModel,
  session: OnnxSession,
  { samples, request, signal }: CtcRun,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  const { sampleRate, frameSamples } = model;
  const found = new CtcWords(model.vocabulary, frameSamples / sampleRate);
  let text = '';
  for (const { start, end, skip, count } of splitIntoWindows(samples.length, model)) {
    await yieldToEventLoop();
    throwIfCancelled(signal);
    const frames = await computeLogits(model, session, samples.subarray(start, end));
    for (const logits of frames.slice(skip, skip + count)) {
      const { token, logprob } = chooseToken(logits, logits.length, NOTHING);
      found.push(token, logprob);
    }
    if (end === samples.length) found.end();
    const delta = found.take();
    text += delta;
    if (delta !== '') yield { type: 'delta', text: delta };
  }
  const { words } = found;
  const times = ({ start, end }: TimedWord) => ({ start: rounded(start), end: rounded(end) });
  yield {
    type: 'finish',
    text,
    language: request.language,
    durationSeconds: samples.length / sampleRate,
    promptTokens: 0,
    completionTokens: found.tokens,
    ...(request.times && { segments: toSegments(words) }),
    ...(request.times === 'words' && { words: words.map((word) => ({ text: word.text, ...times(word) })) }),
  };
}

interface TimedWord {
  start: number;
  end: number;
}

/** A stretch of samples, and which of its frames count. */
interface Window {
  start: number;
  end: number;
  /** Frames that only are context. */
  skip: number;
  /** Frames behind them that count; Infinity: all. */
  count: number;
}

/** Windows that overlap by twice the context, on the grid of the frames: each frame counts once. */
function* splitIntoWindows(length: number, { sampleRate, frameSamples }: CtcModel): Generator<Window, void, undefined> {
  const frames = (seconds: number): number => Math.round((seconds * sampleRate) / frameSamples);
  const [whole, context] = [frames(WINDOW), frames(CONTEXT)];
  for (let first = 0; ; first += whole - 2 * context) {
    const skip = first === 0 ? 0 : context;
    const [start, end] = [first * frameSamples, (first + whole) * frameSamples];
    if (end >= length) {
      yield { start, end: length, skip, count: Infinity };
      return;
    }
    yield { start, end, skip, count: whole - context - skip };
  }
}

/** The logits of each frame. */
async function computeLogits(model: CtcModel, session: OnnxSession, samples: Float32Array): Promise<Float32Array[]> {
  const shortest = Math.round(SHORTEST * model.sampleRate);
  const sound = samples.length >= shortest ? samples : padded(samples, shortest);
  const inputs = Object.entries(await model.features(sound));
  const results = await session.run(Object.fromEntries(inputs.filter(([name]) => session.inputNames.includes(name))));
  try {
    const logits = results['logits']!;
    const [, frames = 0, size = 0] = logits.dims;
    const data = toFloat32(await logits.getData());
    return Array.from({ length: frames }, (_, frame) => data.slice(frame * size, (frame + 1) * size));
  } finally {
    for (const tensor of Object.values(results)) tensor.dispose();
  }
}

function padded(samples: Float32Array, length: number): Float32Array {
  const whole = new Float32Array(length);
  whole.set(samples);
  return whole;
}
