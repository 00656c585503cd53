/** POST /api/chat @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../core/request/generation-request.js';
import type { ContentPart, Message, ToolCall } from '../../../core/request/message.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object, objectOf } from '../fields/json-object.js';
import type { RequestImages } from '../fields/request-images.js';
import { defineTools } from '../fields/define-tools.js';
import { functionName, MAX_TOOLS } from '../fields/tools.js';
import { commonFields, generationFields, toGenerationFields } from './fields.js';
import { ollamaRoute } from './route.js';

const call = object({
  id: v.nullish(v.string()),
  function: object({ name: v.string(), arguments: v.nullish(objectOf(v.unknown())) }),
});

const message = object({
  role: v.string(),
  content: v.nullish(v.string()),
  images: v.nullish(v.array(v.string())),
  thinking: v.nullish(v.string()),
  tool_calls: v.nullish(v.array(call)),
  tool_name: v.nullish(v.string()),
  tool_call_id: v.nullish(v.string()),
});
type MessageInput = v.InferOutput<typeof message>;

const tool = object({
  type: v.literal('function'),
  function: object({
    name: functionName,
    description: v.nullish(v.string()),
    parameters: v.nullish(objectOf(v.unknown())),
  }),
});

const BODY = object({
  ...commonFields,
  messages: v.nullish(v.array(message)),
  tools: v.nullish(v.pipe(v.array(tool), v.maxLength(MAX_TOOLS))),
  ...generationFields,
});
type Body = v.InferOutput<typeof BODY>;

/** See the module. */
export const chat: EndpointBody = {
  requestSchema: () => BODY,
  route: ollamaRoute<Body>({
    schema: BODY,
    isLoad: ({ messages }) => messages == null || messages.length === 0,
    read: (body, model, images): GenerationRequest => ({
      ...plainGenerationRequest(model, { type: 'chat', messages: toMessages(body.messages ?? [], images) }),
      ...toGenerationFields(body),
      tools: defineTools(
        (body.tools ?? []).map(({ function: { name, description, parameters } }, index) => ({
          name,
          description: description ?? undefined,
          parameters: parameters ?? undefined,
          param: `tools.${index}.function.parameters`,
        })),
        'loose',
      ),
    }),
    shape: ({ content, thinking, toolCalls }) => ({
      message: {
        role: 'assistant',
        content,
        ...(thinking !== undefined && { thinking }),
        ...(toolCalls && { tool_calls: toolCalls }),
      },
    }),
  }),
};

/** A call that an assistant made and no tool message has answered yet. */
interface OpenCall {
  id: string;
  name: string;
}

/** @throws InferenceError about a role or an image */
function toMessages(messages: readonly MessageInput[], images: RequestImages): Message[] {
  const open: OpenCall[] = [];
  return messages.map((each, index): Message => {
    const path = `messages.${index}`;
    const content = toParts(each, path, images);
    switch (each.role.toLowerCase()) {
      case 'system':
        return { role: 'system', content };
      case 'user':
        return { role: 'user', content };
      case 'tool':
        return { role: 'tool', toolCallId: answeredCall(each, open), content };
      case 'assistant': {
        const toolCalls = toCalls(each, index);
        open.push(...toolCalls);
        return { role: 'assistant', content, toolCalls, ...(each.thinking && { reasoning: each.thinking }) };
      }
    }
    const param = `${path}.role`;
    const text = `\`${param}\` must be \`system\`, \`user\`, \`assistant\` or \`tool\`.`;
    throw new InferenceError('invalid_request', text, { param });
  });
}

/** Images stand before the text, as models are trained. */
function toParts({ content, images: sent }: MessageInput, path: string, images: RequestImages): ContentPart[] {
  const parts: ContentPart[] = (sent ?? []).map((base64, index) =>
    images.fromBase64(base64, `${path}.images.${index}`),
  );
  return content ? [...parts, { type: 'text', text: content }] : parts;
}

function toCalls({ tool_calls: calls }: MessageInput, index: number): ToolCall[] {
  return (calls ?? []).map(({ id, function: { name, arguments: values } }, place) => ({
    id: id || `call_${index}_${place}`,
    name,
    arguments: JSON.stringify(values ?? {}),
  }));
}

/** Id of the call that a tool message answers: the one it names, else the next of its tool, else the next. */
function answeredCall({ tool_call_id: id, tool_name: name }: MessageInput, open: OpenCall[]): string {
  const ofName = open.findIndex((each) => each.name === name);
  const place = id ? open.findIndex((each) => each.id === id) : Math.max(ofName, open.length > 0 ? 0 : -1);
  const [answered] = place < 0 ? [] : open.splice(place, 1);
  return answered?.id ?? id ?? '';
}
