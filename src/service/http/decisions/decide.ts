/** What both dialects of decisions do with a request that they have read. @module */
import type {
  DecisionPart,
  DecisionQuestion,
  DecisionResult,
  ForwardedDecision,
} from '../../../core/request/decision-request.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { RequestImages } from '../fields/request-images.js';
import { cacheHint } from '../fields/sampling.js';
import { runOptions } from '../generation/generate.js';
import { requireModel } from '../policy/require-model.js';
import type { PartContext } from './read-input.js';

/** A request in canonical form, as far as a dialect gives it. */
interface ReadDecision {
  input: DecisionPart[];
  questions: DecisionQuestion[];
  inputParam: string;
}

export interface DecisionBody {
  /** What the client calls the model. */
  model: string;
  /** The body before its checks. */
  json: Record<string, unknown>;
  /** Path of the endpoint: a remote service is asked at the same one. */
  path: ForwardedDecision['path'];
  /** @throws InferenceError about the body */
  read: (context: PartContext) => ReadDecision;
}

type ReadAnswer = Extract<DecisionResult, { type: 'read' }>;

/**
 * The answer to a request: `render` of what a model here has read, or what a remote service said.
 * @throws InferenceError about the request, its model or its images, or of the model
 */
export async function answerDecision(
  c: HttpRequestContext,
  context: HttpContext,
  { model: name, json, path, read }: DecisionBody,
  render: (answer: ReadAnswer & { model: string }) => object,
): Promise<object> {
  const { inference } = context;
  const { id: model, backend } = requireModel(inference.catalog, name, 'chat');
  if (backend === 'built-in') {
    const message = `The model \`${name}\` cannot decide, because the browser's built-in model gives no probabilities.`;
    throw new InferenceError('model_not_supported', message, { param: 'model' });
  }
  const images = new RequestImages();
  const imageParams: string[] = [];
  const request = read({ images, onImage: (param) => imageParams.push(param) });
  await images.decodeAll(inference.takesImages(model), c.req.raw.signal);
  await context.admit(c);
  const [imageParam] = imageParams;
  const answer = await inference.decide(
    {
      ...request,
      model,
      forward: { path, body: json },
      ...cacheHint(json),
      ...(imageParam !== undefined && { imageParam }),
    },
    runOptions(c, 'result'),
  );
  return answer.type === 'read' ? render(answer) : { ...answer.body, model: answer.model };
}
