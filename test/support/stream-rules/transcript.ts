import type { Demand, StreamValidator } from './stream-validator.js';

/** Transcription streams: deltas that join to the text of the one `done`. */
export function validateTranscript(demand: Demand): StreamValidator {
  let text = '';
  let stage: 'open' | 'done' | 'failed' = 'open';
  return {
    take(data) {
      demand(stage === 'open', 'nothing follows the end');
      if (data.error) {
        stage = 'failed';
      } else if (data.type === 'transcript.text.delta') {
        demand(typeof data.delta === 'string', 'a delta has text');
        text += data.delta;
      } else {
        demand(data.type === 'transcript.text.done', `${data.type} is no event of this dialect`);
        demand(data.text === text, 'deltas join to the text');
        demand(data.usage, 'the end carries the usage');
        stage = 'done';
      }
    },
    end(end) {
      demand(stage === (end === 'failed' ? 'failed' : 'done'), `the stream ends ${end}`);
    },
  };
}
