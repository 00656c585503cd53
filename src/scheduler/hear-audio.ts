/** Chat models without ears hear through the catalog's speech model: audio parts become their transcripts. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { Catalog } from '../models/catalog.js';
import type { ContentPart, Message } from '../request/message.js';
import type { Prompt } from '../request/generation-request.js';
import type { TranscriptEvent, TranscriptionRequest } from '../request/transcription-request.js';

type Transcribe = (request: TranscriptionRequest) => AsyncIterable<TranscriptEvent>;

/**
 * The prompt with every audio part replaced by a text part.
 * @throws InferenceError `unsupported_content` when the catalog has no speech model
 */
export async function hearAudio(prompt: Prompt, catalog: Catalog, transcribe: Transcribe): Promise<Prompt> {
  if (prompt.type === 'raw' || !prompt.messages.some(hasAudio)) return prompt;
  const speech = catalog.usable().find((entry) => entry.task === 'speech');
  if (!speech) {
    throw new InferenceError('unsupported_content', 'This model does not take audio, and there is no speech model.', {
      param: 'messages',
    });
  }
  const hear = async (part: ContentPart): Promise<ContentPart> => {
    if (part.type !== 'audio') return part;
    const audio: TranscriptionRequest['audio'] = { bytes: part.bytes };
    if (part.mediaType) audio.mediaType = part.mediaType;
    let text = '';
    for await (const event of transcribe({ model: speech.id, task: 'transcribe', audio })) {
      if (event.type === 'finish') text = event.text;
    }
    return { type: 'text', text };
  };
  const messages: Message[] = [];
  for (const message of prompt.messages) {
    const content: ContentPart[] = [];
    for (const part of message.content) content.push(await hear(part));
    messages.push({ ...message, content });
  }
  return { type: 'chat', messages };
}

function hasAudio(message: Message): boolean {
  return message.content.some((part) => part.type === 'audio');
}
