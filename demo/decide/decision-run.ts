/** Questions about an input, answered with the probability of each option. */
import { signal } from '@preact/signals';
import { chatModel } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { callInference } from '../wire/call-inference.js';
import type { WireRequest } from '../wire/wire-log.js';
import { type AskedQuestion, type DecisionExample, FIRST_EXAMPLE } from './decision-examples.js';

/** One possible answer. */
interface Option {
  value: string;
  probability: number;
}

/** A question that was answered, with its options, the likeliest first. */
export interface DecidedQuestion {
  instructions: string;
  options: readonly Option[];
}

type Answer =
  | { type: 'predicate'; probability: number }
  | { type: 'choice'; probabilities: Option[] }
  | { type: 'refusal' };

interface Answers {
  answers: Answer[];
}

export const input = signal(FIRST_EXAMPLE.input);
export const questions = signal<readonly AskedQuestion[]>(FIRST_EXAMPLE.questions);
export const decided = signal<readonly DecidedQuestion[]>([]);
export const problem = signal('');
export const running = signal(false);

export function takeExample(example: DecisionExample): void {
  input.value = example.input;
  questions.value = example.questions;
  decided.value = [];
  problem.value = '';
}

export function changeQuestion(index: number, change: Partial<AskedQuestion>): void {
  questions.value = questions.value.map((question, at) => (at === index ? { ...question, ...change } : question));
}

export function addQuestion(): void {
  questions.value = [...questions.value, { instructions: '', choices: '' }];
}

export function removeQuestion(index: number): void {
  questions.value = questions.value.filter((_, at) => at !== index);
}

export async function decide(): Promise<void> {
  if (running.value) return;
  problem.value = '';
  decided.value = [];
  running.value = true;
  const asked = questions.value;
  try {
    const { path, body } = decisionRequest();
    const { answers } = await callInference<Answers>(path, body);
    decided.value = asked.map(({ instructions }, index) => ({ instructions, options: optionsOf(answers[index]!) }));
  } catch (error) {
    problem.value = problemOf(error);
  } finally {
    running.value = false;
  }
}

/** What is asked now. */
export function decisionRequest(): WireRequest {
  const body = { model: chatModel.value, input: input.value, questions: questions.value.map(toQuestion) };
  return { path: '/decisions', sentAs: 'json', body };
}

function toQuestion({ instructions, choices }: AskedQuestion): object {
  const values = choices
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) return { type: 'predicate', instructions };
  return { type: 'choice', instructions, choices: values.map((value) => ({ value })) };
}

/** Of a question that was refused there are none. */
function optionsOf(answer: Answer): Option[] {
  switch (answer.type) {
    case 'predicate':
      return sorted([
        { value: 'yes', probability: answer.probability },
        { value: 'no', probability: 1 - answer.probability },
      ]);
    case 'choice':
      return sorted(answer.probabilities);
    case 'refusal':
      return [];
  }
}

function sorted(options: readonly Option[]): Option[] {
  return options.toSorted((a, b) => b.probability - a.probability);
}
