/** What turns cost in the model's context: `/responses/input_tokens`, less what every prompt costs. @module */
import { TooLong } from './interface-error.js';
import type { Service } from './service.js';
import { type ChatMessage, type ChatPart, type ChatTool, isText } from './turn.js';

/** Most tokens that are held back for what every prompt costs. */
const MOST_RESERVED = 64;
/** Room for an answer, where the conversation fills all else. */
const ANSWER_ROOM = 16;
/** A text of one token in any vocabulary. */
const LETTER = 'a';
/** Counts that are remembered: a text is often measured before it is prompted. */
const MOST_REMEMBERED = 200;

interface FixedCosts {
  /** Of every prompt. */
  prompt: number;
  /** Of every turn, besides its content. */
  turn: number;
}

interface CountItem {
  role: 'user' | 'assistant';
  content: string | object[];
}

export class TokenCounter {
  readonly #service: Service;
  readonly #model: string;
  #fixed: Promise<FixedCosts> | undefined;
  readonly #remembered = new Map<string, Promise<number>>();

  constructor(service: Service, model: string) {
    this.#service = service;
    this.#model = model;
  }

  /** Tokens of a conversation that the model can read. */
  async contextWindow(): Promise<number> {
    const length = this.#service.statusOf(this.#model)?.contextLength ?? 0;
    return Math.max(0, length - Math.min(MOST_RESERVED, (await this.#fixedCosts()).prompt + ANSWER_ROOM));
  }

  /** What a turn adds to a conversation. Turns add up. */
  measure({ content, tool_calls: calls }: ChatMessage): Promise<number> {
    const parts: ChatPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : [...content];
    if (calls) parts.push({ type: 'text', text: calls.map(({ function: call }) => JSON.stringify(call)).join('\n') });
    return this.#turn(parts);
  }

  /** What the offer of tools adds to every prompt. */
  async measureTools(tools: readonly ChatTool[]): Promise<number> {
    if (tools.length === 0) return 0;
    const offered = tools.map((tool) => ({ type: 'function', ...tool.function }));
    const [without, withTools] = await Promise.all([this.#count(said(LETTER)), this.#count(said(LETTER), offered)]);
    return withTools - without;
  }

  #turn(parts: readonly ChatPart[]): Promise<number> {
    const key = JSON.stringify(parts);
    const known = this.#remembered.get(key);
    if (known) return known;
    const measured = this.#measureParts(parts);
    measured.catch(() => this.#remembered.delete(key));
    const [oldest] = this.#remembered.size < MOST_REMEMBERED ? [] : this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(key, measured);
    return measured;
  }

  async #measureParts(parts: readonly ChatPart[]): Promise<number> {
    const { prompt, turn } = await this.#fixedCosts();
    if (parts.every((part) => isText(part) && part.text === '')) return turn;
    try {
      return (await this.#count([{ role: 'user', content: parts.map(toCountPart) }])) - prompt;
    } catch (thrown) {
      if (!(thrown instanceof TooLong)) throw thrown;
      // What is longer than the window is counted in halves.
      const [first, second] = halves(parts);
      if (!first || !second) throw thrown;
      return (await this.#measureParts(first)) + (await this.#measureParts(second)) - turn;
    }
  }

  #fixedCosts(): Promise<FixedCosts> {
    if (!this.#fixed) {
      this.#fixed = this.#findFixedCosts();
      this.#fixed.catch(() => (this.#fixed = undefined));
    }
    return this.#fixed;
  }

  /** A template adds something to every prompt, and something to every turn. */
  async #findFixedCosts(): Promise<FixedCosts> {
    const more: CountItem[] = [
      { role: 'assistant', content: LETTER },
      { role: 'user', content: LETTER },
    ];
    const [one, three] = await Promise.all([this.#count(said(LETTER)), this.#count([...said(LETTER), ...more])]);
    const turn = Math.ceil((three - one) / 2);
    return { prompt: Math.max(0, one - turn), turn: Math.max(1, turn - 1) };
  }

  async #count(input: CountItem[], tools?: object[]): Promise<number> {
    const body = { model: this.#model, input, ...(tools && { tools }) };
    return (await this.#service.post<{ input_tokens: number }>('/responses/input_tokens', body)).input_tokens;
  }
}

function said(content: string): CountItem[] {
  return [{ role: 'user', content }];
}

function toCountPart(part: ChatPart): object {
  return isText(part)
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: part.image_url.url, detail: 'auto' };
}

/** Two halves of the list, or of its only text; undefined where there is nothing to split. */
function halves(parts: readonly ChatPart[]): [ChatPart[]?, ChatPart[]?] {
  const [only] = parts;
  if (parts.length > 1) {
    const middle = parts.length >> 1;
    return [parts.slice(0, middle), parts.slice(middle)];
  }
  if (!only || !isText(only) || only.text.length < 2) return [];
  const { text } = only;
  // Between words where there are some: a word is rarely one token with its neighbour.
  const middle = text.length >> 1;
  const space = text.indexOf(' ', middle);
  const at = space > 0 && space < text.length - 1 ? space : middle;
  const half = (piece: string): ChatPart[] => [{ type: 'text', text: piece }];
  return [half(text.slice(0, at)), half(text.slice(at))];
}
