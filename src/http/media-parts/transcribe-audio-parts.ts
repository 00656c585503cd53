/** Ears for models without: audio parts become what the catalog's speech model hears. @module */
import { InferenceError, toInferenceError } from '../../errors/inference-error.js';
import type { ContentPart, Message } from '../../request/message.js';
import type { Inference, RunOptions } from '../../scheduler/inference.js';

type AudioPart = Extract<ContentPart, { type: 'audio' }>;

/**
 * The same messages with each audio part replaced by its transcript.
 * @throws InferenceError `unsupported_content` when there is audio but no speech model, `invalid_request` for audio
 * that does not decode
 */
export async function transcribeAudioParts(
  messages: readonly Message[],
  inference: Inference,
  options: RunOptions,
): Promise<Message[]> {
  const heard: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const content: ContentPart[] = [];
    for (const [position, part] of message.content.entries()) {
      const param = `messages.${index}.content.${position}`;
      content.push(part.type === 'audio' ? await transcript(part, param, inference, options) : part);
    }
    heard.push({ ...message, content });
  }
  return heard;
}

async function transcript(
  part: AudioPart,
  param: string,
  inference: Inference,
  options: RunOptions,
): Promise<ContentPart> {
  const model = inference.catalog.usable().find((entry) => entry.task === 'speech');
  if (!model) {
    throw new InferenceError(
      'unsupported_content',
      'This model does not take audio, and there is no speech model to hear it with.',
      { param },
    );
  }
  const { bytes, mediaType } = part;
  const audio = mediaType === undefined ? { bytes } : { bytes, mediaType };
  let text = '';
  try {
    for await (const event of inference.transcribe({ model: model.id, task: 'transcribe', audio }, options)) {
      if (event.type === 'finish') text = event.text;
    }
  } catch (thrown) {
    const error = toInferenceError(thrown);
    if (error.code !== 'invalid_media') throw error;
    throw new InferenceError('invalid_request', 'The audio could not be decoded.', { param }, { cause: error });
  }
  return { type: 'text', text: text.trim() };
}
