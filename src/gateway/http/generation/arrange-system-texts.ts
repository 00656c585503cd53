/** Where system texts stand in a conversation. @module */
import type { GenerationRequest } from '../../../core/request/generation-request.js';
import type { ContentPart, SystemMessage } from '../../../core/request/message.js';
import type { Compatibility } from '../compatibility.js';

/** The request with its late system texts where the table says. Templates lose or refuse those that stay in their place. */
export function arrangeSystemTexts(request: GenerationRequest, { lateSystem }: Compatibility): GenerationRequest {
  const { prompt } = request;
  if (lateSystem === 'in-place' || prompt.type !== 'chat') return request;
  const texts = prompt.messages.filter((message) => message.role === 'system');
  if (texts.length === 0 || (texts.length === 1 && prompt.messages[0] === texts[0])) return request;
  const [first, ...late] = prompt.messages[0]?.role === 'system' ? texts : [emptySystem(), ...texts];
  const content = [...first!.content];
  for (const { text } of late.flatMap((message) => message.content).filter(isText)) {
    content.push({ type: 'text', text: content.length > 0 ? `\n\n${text}` : text });
  }
  const others = prompt.messages.filter((message) => message.role !== 'system');
  return { ...request, prompt: { type: 'chat', messages: [{ role: 'system', content }, ...others] } };
}

function emptySystem(): SystemMessage {
  return { role: 'system', content: [] };
}

function isText(part: ContentPart): part is Extract<ContentPart, { type: 'text' }> {
  return part.type === 'text';
}
