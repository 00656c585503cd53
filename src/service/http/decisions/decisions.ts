/** POST /decisions, in OpenAI's form. @module */
import * as v from 'valibot';
import type { Decision, DecisionQuestion, DecisionResult } from '../../../core/request/decision-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { answerDecision } from './decide.js';
import { INPUT, PART } from './input-schema.js';
import { choiceOptions, confidenceOf, meanLevel, mostLikely, predicateOptions, scoreOptions } from './options.js';
import { type PartContext, readContent, readInput } from './read-input.js';

const MAX_QUESTIONS = 400;
const MAX_CHOICES = 255;
const MAX_LEVELS = 10;

const instructions = v.union([v.pipe(v.string(), v.minLength(1)), v.pipe(v.array(PART), v.minLength(1))]);
const name = v.nullish(v.string());
const description = v.nullish(v.string());
const nonEmpty = v.pipe(v.string(), v.minLength(1));

const choices = v.pipe(
  v.array(object({ value: v.union([nonEmpty, v.boolean()]), description })),
  v.minLength(2),
  v.maxLength(MAX_CHOICES),
  v.check((list) => new Set(list.map(({ value }) => value)).size === list.length, 'must have each value only once'),
);

const QUESTION = v.variant('type', [
  object({ type: v.literal('predicate'), name, instructions }),
  object({ type: v.literal('choice'), name, instructions: v.nullish(instructions), choices }),
  object({
    type: v.literal('score'),
    name,
    instructions: v.nullish(instructions),
    levels: v.pipe(v.array(object({ label: nonEmpty, description })), v.minLength(2), v.maxLength(MAX_LEVELS)),
  }),
]);
type Question = v.InferOutput<typeof QUESTION>;

const BODY = object({
  model: v.string(),
  input: INPUT,
  questions: v.pipe(v.array(QUESTION), v.minLength(1), v.maxLength(MAX_QUESTIONS)),
});

/** See the module. */
export const decisions: EndpointBody = {
  requestSchema: () => BODY,
  route: (context) => async (c) => {
    const json = await readJsonBody(c, context);
    const body = parseBody(BODY, json);
    const answer = await answerDecision(
      c,
      context,
      {
        model: body.model,
        json,
        path: '/decisions',
        read: (parts) => ({
          input: readInput(body.input, parts),
          questions: body.questions.map((question, index) => readQuestion(question, `questions.${index}`, parts)),
          inputParam: 'input',
        }),
      },
      ({ model, ...read }) => ({
        answers: body.questions.map((question, index) => answerObject(question, read.decisions[index]!)),
        model,
        usage: usageObject(read),
      }),
    );
    return c.json(answer);
  },
};

function readQuestion(question: Question, path: string, parts: PartContext): DecisionQuestion {
  const given = question.instructions ?? '';
  const asked = given === '' ? [] : readContent(given, `${path}.instructions`, parts);
  switch (question.type) {
    case 'predicate':
      return { kind: 'predicate', instructions: asked, options: predicateOptions() };
    case 'choice':
      return { kind: 'choice', instructions: asked, options: choiceOptions(question.choices.map(described)) };
    case 'score':
      return { kind: 'score', instructions: asked, options: scoreOptions(question.levels.map(described)) };
  }
}

function described<Option extends { description?: string | null | undefined }>(
  option: Option,
): Option & { description: string | undefined } {
  return { ...option, description: option.description ?? undefined };
}

function answerObject(question: Question, decision: Decision): object {
  const head = { name: question.name ?? null };
  if (decision === 'refused') return { type: 'refusal', ...head };
  const { probabilities } = decision;
  const confidence = confidenceOf(probabilities);
  switch (question.type) {
    case 'predicate':
      return { type: 'predicate', ...head, probability: probabilities[0]! };
    case 'choice':
      return {
        type: 'choice',
        ...head,
        choice: question.choices[mostLikely(probabilities)]!.value,
        confidence,
        probabilities: question.choices.map(({ value }, index) => ({ value, probability: probabilities[index]! })),
      };
    case 'score':
      return {
        type: 'score',
        ...head,
        score: meanLevel(probabilities),
        confidence,
        probabilities: question.levels.map(({ label }, index) => ({
          label,
          probability: probabilities[index]!,
          value: index,
        })),
      };
  }
}

function usageObject({ inputTokens, cachedTokens }: Extract<DecisionResult, { type: 'read' }>): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens,
  };
}
