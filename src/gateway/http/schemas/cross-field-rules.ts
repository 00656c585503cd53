/** Rules about two fields at once, shared by chat and text completions. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';

type Fields = Readonly<Record<string, unknown>>;

/** @throws InferenceError `invalid_request` when `stream_options` comes without `stream: true` */
export function requireStream({ stream, stream_options: options }: Fields): void {
  if (options == null || stream === true) return;
  throw new InferenceError('invalid_request', '`stream_options` is only allowed when `stream` is true.', {
    param: 'stream_options',
  });
}

/** @throws InferenceError `invalid_request` when `top_logprobs` (above 0) comes without `logprobs: true` */
export function requireLogprobs({ logprobs, top_logprobs: count }: Fields): void {
  if (!count || logprobs === true) return;
  throw new InferenceError('invalid_request', '`top_logprobs` is only allowed when `logprobs` is true.', {
    param: 'top_logprobs',
  });
}
