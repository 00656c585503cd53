/** An answer as it was recorded, which a scripted model replays: its events and when they came. @module */
import * as v from 'valibot';
import type { TokenEvent } from '../events/token-event.js';
import type { TranscriptEvent } from '../request/transcription-request.js';
import { fields, number } from './option-schema.js';

/** What the model gave, piece by piece. */
export type RecordedEvent = TokenEvent | TranscriptEvent;

/** What came together. */
export interface RecordedStep {
  /** Milliseconds since the step before it; for the first, since the request. */
  afterMs: number;
  /** In the form of this version of Inpage: to be replayed, not to be written by hand. */
  events: RecordedEvent[];
}

const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const part = v.variant('type', [
  v.looseObject({ type: v.picklist(['text', 'reasoning', 'tool-call-arguments']), text: v.string() }),
  v.looseObject({ type: v.literal('tool-call-start'), name: v.string() }),
  v.looseObject({ type: v.literal('tool-call-end') }),
]);
const event = v.variant('type', [
  v.looseObject({ type: v.literal('prompt'), promptTokens: whole, cachedTokens: whole }),
  v.looseObject({ type: v.literal('piece'), choice: whole, parts: v.array(part), isReasoning: v.boolean() }),
  v.looseObject({ type: v.literal('counts'), promptTokens: whole, cachedTokens: whole, completionTokens: whole }),
  v.looseObject({ type: v.literal('end'), choice: whole, parts: v.array(part), rawOutput: v.string() }),
  v.looseObject({ type: v.literal('delta'), text: v.string() }),
  v.looseObject({ type: v.literal('finish'), text: v.string(), durationSeconds: v.number() }),
]);

const isEvent = (value: unknown): value is RecordedEvent => v.is(event, value);

/** @internal */
export const RECORDED_STEP = fields(
  {
    afterMs: number('a number of milliseconds', (value) => value >= 0),
    events: v.array(v.custom<RecordedEvent>(isEvent, 'a recorded event'), 'an array of recorded events'),
  },
  'a field of a recorded step',
);
