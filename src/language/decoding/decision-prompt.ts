/** The prompt of a decision: the input as evidence in one turn of the user, a question after it, and where the answer begins. @module */
import type {
  DecisionOption,
  DecisionPart,
  DecisionQuestion,
  DecisionRequest,
} from '../../core/request/decision-request.js';
import { InferenceError } from '../../core/errors/inference-error.js';
import { type GenerationRequest, plainGenerationRequest } from '../../core/request/generation-request.js';
import { type ContentPart, type Message, textOf } from '../../core/request/message.js';
import { answerSyntax } from '../families/answer-syntax.js';
import { estimateHugeLength, promptTooLong } from '../prompt/context-window.js';
import { PromptEncoder, unusedCharacter } from '../prompt/encode-prompt.js';
import type { PromptImage } from '../prompt/prompt-image.js';
import { renderChat, withPrefix } from '../prompt/render-prompt.js';
import { readImages } from './read-images.js';
import type { TextEngine } from './text-engine.js';

/** A question as tokens. */
export interface QuestionPrompt {
  /** From the end of the input to where the answer begins. */
  tokens: number[];
  /** Its own images; the input's come before them. */
  images: readonly PromptImage[];
  /** Ids of what is read for each option. */
  options: number[][];
  /** Some option begins with another, so that only the end of the turn tells them apart. */
  endCounts: boolean;
}

/** All questions about one input. */
export interface DecisionPrompt {
  /** What stands before the input. */
  head: number[];
  input: number[];
  images: readonly PromptImage[];
  questions: QuestionPrompt[];
}

const INTRODUCTION = 'Read the input, then answer the question about it.\n\n<input>\n';
const END_OF_INPUT = '\n</input>\n\n';

/**
 * The tokens of a request. Pieces are tokenized one by one, so that the same input has the same tokens whatever is asked.
 * @throws InferenceError `context_length_exceeded`, `invalid_media`, or what the template makes of the turn
 */
export async function decisionPrompt(engine: TextEngine, request: DecisionRequest): Promise<DecisionPrompt> {
  refuseHugeInput(engine, request);
  const writer = new DecisionWriter(engine, request);
  const shared = await writer.write([]);
  const tail = shared.rest;
  const questions: QuestionPrompt[] = [];
  for (const question of request.questions) {
    const { instructions, options } = question;
    const isIllustrated = instructions.some(({ type }) => type === 'image');
    const own = isIllustrated ? await writer.write(questionParts(question)) : undefined;
    const tokens = own
      ? own.encoder.encode(own.rest)
      : shared.encoder.encode(shared.encoder.mark(textOf([...questionParts(question)])) + tail);
    questions.push({
      tokens,
      images: own ? own.images.slice(shared.images.length) : [],
      options: options.map(({ text }) => engine.tokenizer.encodeText(text)),
      endCounts: options.some(({ text }, index) =>
        options.some((other, otherIndex) => otherIndex !== index && other.text.startsWith(text)),
      ),
    });
  }
  const prompt = {
    head: headTokens(shared, engine),
    input: shared.encoder.encode(shared.input),
    images: shared.images,
    questions,
  };
  refuseFullContext(prompt, engine, request);
  return prompt;
}

/** The turn as text, cut at the borders of the input. */
interface WrittenTurn {
  head: string;
  input: string;
  /** What follows the input: the question where it was written too, and the beginning of the answer. */
  rest: string;
  images: readonly PromptImage[];
  encoder: PromptEncoder;
}

/** Renders the turn with or without a question. */
class DecisionWriter {
  readonly #engine: TextEngine;
  readonly #request: DecisionRequest;
  /** Texts of all questions: the encoder's mark must not occur in them. */
  readonly #laterTexts: string[];
  /** Stands at the borders of the input while the template renders it. */
  readonly #border: string;

  constructor(engine: TextEngine, request: DecisionRequest) {
    this.#engine = engine;
    this.#request = request;
    this.#laterTexts = request.questions.map((question) => textOf(questionParts(question)));
    this.#border = unusedCharacter([textOf([...request.input]), ...this.#laterTexts].join(''));
  }

  async write(question: readonly ContentPart[]): Promise<WrittenTurn> {
    const border = this.#border;
    const content: ContentPart[] = [
      { type: 'text', text: INTRODUCTION + border },
      ...this.#request.input,
      { type: 'text', text: END_OF_INPUT + border },
      ...question,
    ];
    const { tokenizer } = this.#engine;
    if (tokenizer.chatTemplate === undefined) return this.#plain(textOf(content));
    const messages: Message[] = [{ role: 'user', content }];
    const { images: reader, contextLength } = this.#engine;
    const chat: GenerationRequest = {
      ...plainGenerationRequest('', { type: 'chat', messages }),
      reasoning: { enabled: false },
      caller: this.#request.caller,
    };
    const images = reader && (await readImages(reader, chat, contextLength));
    const { text, encoder, reasoningOpen } = renderChat(chat, messages, {
      tokenizer,
      formats: this.#engine,
      images,
      laterTexts: this.#laterTexts,
    });
    const opened = text + answerOpening(text, reasoningOpen, this.#engine);
    return { ...this.#cut(opened), images: images?.all ?? [], encoder };
  }

  /** For a model that completes text and cannot chat. */
  #plain(text: string): WrittenTurn {
    const encoder = new PromptEncoder(this.#engine.tokenizer, text + this.#laterTexts.join(''), this.#request.caller);
    return { ...this.#cut(`${encoder.mark(text)}\n\nAnswer:\n`), images: [], encoder };
  }

  /** @throws InferenceError `model_not_supported` for a template that writes the turn twice, or not at all */
  #cut(text: string): Pick<WrittenTurn, 'head' | 'input' | 'rest'> {
    const pieces = text.split(this.#border);
    const [head, input, rest] = pieces;
    if (pieces.length === 3) return { head: head!, input: input!, rest: rest! };
    const reason = "The model's chat template does not write a message of the user as it is.";
    throw new InferenceError('model_not_supported', reason, { param: 'model' });
  }
}

function headTokens({ encoder, head }: WrittenTurn, { tokenizer }: TextEngine): number[] {
  const tokens = encoder.encode(head);
  return tokenizer.beginsChats || tokenizer.chatTemplate === undefined ? withPrefix(tokens, tokenizer) : tokens;
}

/** Templates that speak of these can switch thinking off; others belong to models that always think. */
const SWITCH = /enable_thinking|\bthinking\b|reasoning_effort/;

/**
 * What takes the model to its answer without a thought, where the template does not do so.
 * @param text the prompt so far
 */
function answerOpening(text: string, reasoningOpen: boolean, engine: TextEngine): string {
  const { reasoning } = answerSyntax(engine);
  if (reasoningOpen) return `\n${reasoning.forcedClose}\n\n`;
  // Some answers have a frame or a channel of their own, with which they begin.
  const frame = reasoning.write('', '\u0000', '').split('\u0000', 1)[0]!;
  if (frame !== '') return text.trimEnd().endsWith(frame.trimEnd()) ? '' : frame;
  const alwaysThinks = engine.reasoningFormat !== 'none' && !SWITCH.test(engine.tokenizer.chatTemplate ?? '');
  if (!alwaysThinks || text.trimEnd().endsWith(reasoning.close)) return '';
  return `${reasoning.open}\n\n${reasoning.close}\n\n`;
}

/** What is asked, its options one a line, and what an answer is. */
function questionParts({ kind, instructions, options }: DecisionQuestion): DecisionPart[] {
  const asked: readonly DecisionPart[] = instructions.length > 0 ? instructions : [{ type: 'text', text: UNASKED }];
  return [
    { type: 'text', text: 'Question: ' },
    ...asked,
    { type: 'text', text: `\n${optionLines(kind, options)}${DEMANDS[kind]}` },
  ];
}

const UNASKED = 'Which of these fits the input best?';

const DEMANDS: Record<DecisionQuestion['kind'], string> = {
  predicate: 'Answer with Yes or No and nothing else.',
  choice: 'Answer with one of these and nothing else.',
  score: 'Answer with one of these numbers and nothing else.',
};

function optionLines(kind: DecisionQuestion['kind'], options: readonly DecisionOption[]): string {
  let lines = '';
  for (const { text, name, description } of options) {
    if (kind === 'predicate' && !description) continue;
    const shown = kind === 'score' ? `${text}: ${name}` : `- ${text}`;
    lines += `${shown}${description ? `: ${description}` : ''}\n`;
  }
  return lines;
}

/** Counting all tokens of a text that is much too long could take minutes. */
function refuseHugeInput({ tokenizer, contextLength }: TextEngine, { input, inputParam }: DecisionRequest): void {
  const texts = input.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const tokens = estimateHugeLength(texts, (text) => tokenizer.encodeText(text).length, contextLength);
  if (tokens !== undefined) throw tooLong(contextLength, tokens, inputParam);
}

function refuseFullContext(
  { head, input, questions }: DecisionPrompt,
  { contextLength }: TextEngine,
  { inputParam }: DecisionRequest,
): void {
  const longest = Math.max(...questions.map(({ tokens, options }) => tokens.length + longestOption(options)));
  const needed = head.length + input.length + longest;
  if (needed > contextLength) throw tooLong(contextLength, needed, inputParam);
}

function longestOption(options: readonly (readonly number[])[]): number {
  return Math.max(1, ...options.map(({ length }) => length));
}

function tooLong(contextLength: number, tokens: number, param: string): InferenceError {
  const { code, message, details } = promptTooLong(contextLength, tokens);
  return new InferenceError(code, message, { ...details, param });
}

/** Ids of the end tokens, in a list. */
export function endTokensOf({ tokenizer }: TextEngine): number[] {
  const { endTokens, vocabularySize } = tokenizer;
  return [...endTokens].filter((token) => token < vocabularySize);
}
