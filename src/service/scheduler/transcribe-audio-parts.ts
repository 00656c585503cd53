/**
 * For chat models without audio input: a speech model of the catalog transcribes the audio parts of a prompt.
 * @module
 */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { Catalog } from '../../core/models/catalog.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ContentPart, Message } from '../../core/request/message.js';
import type { Prompt } from '../../core/request/generation-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../core/request/transcription-request.js';

type Transcribe = (request: TranscriptionRequest) => AsyncIterable<TranscriptEvent>;

/**
 * The prompt with every audio part replaced by a text part.
 * For a model on the device a speech model on the device is used. Only for a remote model may the speech model be remote,
 * because the text leaves the device anyway.
 * @param chat the model that the prompt is for
 * @throws InferenceError `unsupported_content` when the catalog has no speech model
 */
export async function transcribeAudioParts(
  prompt: Prompt,
  chat: ModelEntry,
  catalog: Catalog,
  transcribe: Transcribe,
): Promise<Prompt> {
  if (prompt.type !== 'chat') return prompt;
  const mayLeave = chat.backend === 'upstream';
  const speech = catalog
    .usable()
    .find((entry) => entry.task === 'speech-to-text' && (mayLeave || entry.backend !== 'upstream'));
  if (!speech) {
    throw new InferenceError(
      'unsupported_content',
      "This model does not accept audio. Add a model with `task: 'speech-to-text'`, and Inpage will transcribe audio for it.",
      {
        param: 'messages',
      },
    );
  }
  const transcribed = async (part: ContentPart, param: string): Promise<ContentPart> => {
    if (part.type !== 'audio') return part;
    const audio: TranscriptionRequest['audio'] = { bytes: part.bytes };
    if (part.mediaType) audio.mediaType = part.mediaType;
    let text = '';
    try {
      for await (const event of transcribe({ model: speech.id, task: 'transcribe', audio })) {
        if (event.type === 'finish') text = event.text;
      }
    } catch (thrown) {
      throw atPart(thrown, param);
    }
    return { type: 'text', text };
  };
  const messages: Message[] = [];
  for (const [index, message] of prompt.messages.entries()) {
    const content: ContentPart[] = [];
    for (const [at, part] of message.content.entries()) {
      content.push(await transcribed(part, `messages.${index}.content.${at}`));
    }
    messages.push({ ...message, content });
  }
  return { type: 'chat', messages };
}

/** An error about the speech model's `file` becomes one about this part of the conversation. */
function atPart(thrown: unknown, param: string): unknown {
  if (!isInferenceError(thrown) || thrown.param !== 'file') return thrown;
  return new InferenceError('invalid_request', thrown.message, { param }, { cause: thrown });
}
