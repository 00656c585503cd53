/** Speech without a model: a tone whose length and pitch are fixed, so that tests can measure them. @module */
import type { LoadedModel } from '../../../core/models/backend.js';
import type { Script } from '../../../core/models/script.js';
import { SPEECH_RATE } from '../../../core/request/speech-request.js';
import { createVoiceModel } from '../../voice/create-voice-model.js';
import { failAsScripted, rest } from './scripted-failures.js';
import { ScriptedTokenizer } from './scripted-tokenizer.js';

export interface ScriptedSpeakerOptions {
  script: Script;
  contextLength: number;
}

/** Hz of each voice. */
const PITCHES: Readonly<Record<string, number>> = { low: 220, high: 440 };

/** Samples of a code point at speed 1: 60 ms. */
const SAMPLES = SPEECH_RATE * 0.06;

/** Loud enough to measure, and far from being cut. */
const AMPLITUDE = 0.5;

export function createScriptedSpeaker({ script, contextLength }: ScriptedSpeakerOptions): LoadedModel {
  const tokenizer = new ScriptedTokenizer();
  const engine = {
    sampleRate: SPEECH_RATE,
    voices: Object.keys(PITCHES).map((id) => ({ id, name: id, language: null })),
    countTokens: (text: string) => tokenizer.encodeText(text).length,
    async speak(sentence: string, { voice, speed }: { voice: string; speed: number }, signal: AbortSignal) {
      await failAsScripted(script, signal);
      await rest(script.tokenDelayMs ?? 0, signal);
      const step = (2 * Math.PI * PITCHES[voice]!) / SPEECH_RATE;
      const length = Math.round((Array.from(sentence).length * SAMPLES) / speed);
      const samples = new Float32Array(length);
      for (let at = 0; at < length; at++) samples[at] = AMPLITUDE * Math.sin(at * step);
      return samples;
    },
  };
  return createVoiceModel(engine, { info: { contextLength, device: 'none', threads: 1 }, unload: async () => {} });
}
