/** POST /api/generate @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import {
  type GenerationRequest,
  plainGenerationRequest,
  type Prompt,
} from '../../../core/request/generation-request.js';
import type { ContentPart } from '../../../core/request/message.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import type { RequestImages } from '../fields/request-images.js';
import { commonFields, generationFields, toGenerationFields } from './fields.js';
import { ollamaRoute } from './route.js';

const BODY = object({
  ...commonFields,
  prompt: v.nullish(v.string()),
  system: v.nullish(v.string()),
  images: v.nullish(v.array(v.string())),
  raw: v.nullish(v.boolean()),
  suffix: v.nullish(v.string()),
  template: v.nullish(v.string()),
  context: v.nullish(v.array(v.number())),
  ...generationFields,
});
type Body = v.InferOutput<typeof BODY>;

/** See the module. */
export const generate: EndpointBody = {
  requestSchema: () => BODY,
  route: ollamaRoute<Body>({
    schema: BODY,
    isLoad: ({ prompt, images }) => !prompt && (images ?? []).length === 0,
    read: (body, model, images): GenerationRequest => {
      refuseUnhonoured(body);
      const { thinking, ...fields } = toGenerationFields(body);
      return {
        ...plainGenerationRequest(model, toPrompt(body, images)),
        ...fields,
        ...(thinking !== undefined && body.raw !== true && { thinking }),
      };
    },
    shape: ({ content, thinking }) => ({ response: content, ...(thinking !== undefined && { thinking }) }),
  }),
};

/** @throws InferenceError `invalid_request` for fields that would have to change the answer and do not */
function refuseUnhonoured({ suffix, template, context, system, images, raw }: Body): void {
  const asked = { suffix, template, context, ...(raw === true && { system, images }) };
  for (const [param, value] of Object.entries(asked)) {
    if (value == null || value.length === 0) continue;
    const beside = raw === true ? ' with `raw`' : '';
    const message = `\`${param}\` is not supported${beside}.`;
    throw new InferenceError('invalid_request', message, { param });
  }
}

function toPrompt({ prompt, system, images: sent, raw }: Body, images: RequestImages): Prompt {
  const text = prompt ?? '';
  if (raw === true) return { type: 'raw', text };
  const shown: ContentPart[] = (sent ?? []).map((base64, index) => images.fromBase64(base64, `images.${index}`));
  const content: ContentPart[] = text === '' ? shown : [...shown, { type: 'text', text }];
  return {
    type: 'chat',
    messages: [
      ...(system ? [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }] : []),
      { role: 'user', content },
    ],
  };
}
