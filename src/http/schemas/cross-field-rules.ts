/** Rules about two fields at once, shared by chat and text completions. @module */
import { InferenceError } from '../../errors/inference-error.js';

interface StreamFields {
  stream?: boolean | null | undefined;
  stream_options?: object | null | undefined;
}

interface LogprobFields {
  logprobs?: boolean | null | undefined;
  top_logprobs?: number | null | undefined;
}

/** @throws InferenceError `invalid_request` when `stream_options` comes without `stream: true` */
export function requireStream(body: StreamFields): void {
  if (body.stream_options == null || body.stream === true) return;
  throw new InferenceError('invalid_request', '`stream_options` is only allowed when `stream` is true.', {
    param: 'stream_options',
  });
}

/** @throws InferenceError `invalid_request` when `top_logprobs` (above 0) comes without `logprobs: true` */
export function requireLogprobs(body: LogprobFields): void {
  if (!body.top_logprobs || body.logprobs === true) return;
  throw new InferenceError('invalid_request', '`top_logprobs` is only allowed when `logprobs` is true.', {
    param: 'top_logprobs',
  });
}
