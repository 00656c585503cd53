/** POST /systemone: the same in the form that TypeSafe began and several servers share. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Decision, DecisionPart, DecisionQuestion } from '../../../core/request/decision-request.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object, objectOf } from '../fields/json-object.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { answerDecision } from './decide.js';
import { choiceOptions, confidenceOf, meanLevel, mostLikely, predicateOptions, scoreOptions } from './options.js';
import type { PartContext } from './read-input.js';

const MAX_QUESTIONS = 400;
const MAX_CHOICES = 255;
const MAX_LEVELS = 10;

/** Text or JSON, whatever it is. */
const anything = v.unknown();

function entryCount<const Value extends v.GenericSchema>(value: Value, limits: { most: number; what: string }) {
  const { most, what } = limits;
  return v.pipe(
    objectOf(value),
    v.minEntries(1, `must have at least 1 ${what}`),
    v.maxEntries(most, `must have at most ${most} ${what}s`),
  );
}

const QUESTION = v.variant('type', [
  object({
    type: v.literal('noul'),
    instructions: v.nullish(anything),
    criteria: v.nullish(object({ true: v.nullish(anything), false: v.nullish(anything) })),
  }),
  object({
    type: v.literal('choice'),
    instructions: v.nullish(anything),
    criteria: entryCount(anything, { most: MAX_CHOICES, what: 'option' }),
  }),
  object({
    type: v.literal('score'),
    instructions: v.nullish(anything),
    criteria: v.pipe(v.array(anything), v.minLength(1), v.maxLength(MAX_LEVELS)),
  }),
]);
type Question = v.InferOutput<typeof QUESTION>;

const BODY = object({
  model: v.string(),
  state: v.union([v.string(), objectOf(v.unknown()), v.array(v.unknown())]),
  questions: entryCount(QUESTION, { most: MAX_QUESTIONS, what: 'question' }),
  images: v.nullish(v.array(v.string())),
});
type Body = v.InferOutput<typeof BODY>;

/** See the module. */
export const systemOne: EndpointBody = {
  requestSchema: () => BODY,
  route: (context) => async (c) => {
    const json = await readJsonBody(c, context);
    const body = parseBody(BODY, json);
    const questions = Object.entries(body.questions);
    for (const [name, question] of questions) requireContent(question, `questions.${name}`);
    const answer = await answerDecision(
      c,
      context,
      {
        model: body.model,
        json,
        path: '/systemone',
        read: (parts) => ({
          input: readState(body, parts),
          questions: questions.map(([, question]) => readQuestion(question)),
          inputParam: 'state',
        }),
      },
      ({ model, decisions, inputTokens }) => ({
        model,
        answers: Object.fromEntries(
          questions.map(([name, question], index) => [name, answerObject(question, decisions[index]!, name)]),
        ),
        usage: { input_tokens: inputTokens, output_tokens: 0 },
      }),
    );
    return c.json(answer);
  },
};

/** @throws InferenceError `invalid_request` for a question that asks nothing */
function requireContent(question: Question, param: string): void {
  if (question.type !== 'noul' || textOf(question.instructions) !== undefined) return;
  const { true: yes, false: no } = question.criteria ?? {};
  if (textOf(yes) !== undefined || textOf(no) !== undefined) return;
  throw new InferenceError('invalid_request', `\`${param}\` must have \`instructions\` or \`criteria\`.`, { param });
}

/** A text as it is, everything else as compact JSON; undefined: there is nothing. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readState({ state, images: sent }: Body, { images, onImage }: PartContext): DecisionPart[] {
  const shown = (sent ?? []).map((base64, index) => {
    const param = `images.${index}`;
    onImage(param);
    return images.fromBase64(base64, param);
  });
  return [...shown, { type: 'text', text: typeof state === 'string' ? state : JSON.stringify(state) }];
}

function readQuestion(question: Question): DecisionQuestion {
  const asked = textOf(question.instructions);
  const instructions = asked === undefined ? [] : [{ type: 'text' as const, text: asked }];
  switch (question.type) {
    case 'noul': {
      const { true: yes, false: no } = question.criteria ?? {};
      return { kind: 'predicate', instructions, options: predicateOptions({ yes: textOf(yes), no: textOf(no) }) };
    }
    case 'choice': {
      const values = Object.entries(question.criteria);
      const options = choiceOptions(values.map(([value, said]) => ({ value, description: textOf(said) })));
      return { kind: 'choice', instructions, options };
    }
    case 'score': {
      const levels = question.criteria.map((level) => ({ label: textOf(level) ?? '', description: undefined }));
      return { kind: 'score', instructions, options: scoreOptions(levels) };
    }
  }
}

/** @throws InferenceError `refusal`: this form has no word for it */
function answerObject(question: Question, decision: Decision, name: string): object {
  if (decision === 'refused') {
    const param = `questions.${name}`;
    throw new InferenceError('refusal', `The model refused to answer \`${param}\`.`, { param });
  }
  const { probabilities } = decision;
  const confidence = confidenceOf(probabilities);
  switch (question.type) {
    case 'noul':
      return { type: 'noul', noul: probabilities[0]! };
    case 'choice': {
      const options = Object.keys(question.criteria);
      return {
        type: 'choice',
        choice: options[mostLikely(probabilities)]!,
        probabilities: byName(options, probabilities),
        confidence,
      };
    }
    case 'score': {
      const numbers = question.criteria.map((_, index) => String(index));
      return {
        type: 'score',
        score: meanLevel(probabilities),
        legend: byName(numbers, question.criteria),
        probabilities: byName(numbers, probabilities),
        confidence,
      };
    }
  }
}

function byName<Value>(names: readonly string[], values: readonly Value[]): Record<string, Value> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}
