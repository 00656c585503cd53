/** A finished transcript as the answer of the audio endpoints. @module */
import type { TranscriptEvent } from '../../request/transcription-request.js';
import type { AudioRequest } from './request-schema.js';

/** The whole text of a transcription: what the stream's last event says. */
export async function collectTranscript(events: AsyncIterable<TranscriptEvent>): Promise<string> {
  let text = '';
  for await (const event of events) text = event.type === 'finish' ? event.text : text + event.text;
  return text;
}

/** `json` is an object; every other format is the bare transcript, without times or cues. */
export function toResponse(text: string, format: AudioRequest['response_format']): Response {
  if (format === undefined || format === 'json') return Response.json({ text });
  return new Response(text, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
