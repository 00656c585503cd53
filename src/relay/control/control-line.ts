/**
 * Questions between a page and its workers, in both directions, each with one answer. For control only: requests are
 * calls and have ports of their own.
 * @module
 */
import {
  deserializeInferenceError,
  type SerializedInferenceError,
  toInferenceError,
} from '../../core/errors/inference-error.js';

/** A worker as its page has it, the worker's own global scope, or a port. */
export interface LineEnd {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<LineMessage | undefined>) => void): void;
  /** Ports have to be started. */
  start?(): void;
}

interface LineAnswer {
  answer: number;
  value: unknown;
  error: SerializedInferenceError | undefined;
}
type LineMessage = { ask: number; name: string; value: unknown } | LineAnswer;

/** Asks the other end one of its questions. Rejects with InferenceError when that end fails; stays pending when it is gone. */
export type Ask<Questions> = <Name extends keyof Questions & string>(
  name: Name,
  value: Questions[Name] extends (value: infer Value) => unknown ? Value : never,
) => Promise<Questions[Name] extends (value: never) => infer Answer ? Awaited<Answer> : never>;

const moved = new WeakMap<object, Transferable[]>();

/** The value, to be sent with these parts moved instead of copied. */
export function move<Value extends object>(value: Value, parts: Transferable[]): Value {
  moved.set(value, parts);
  return value;
}

/**
 * Answers what the other end asks, from now on.
 * @param mine the questions that this end answers: functions of one value
 * @returns the way to ask the other end
 */
export function openControlLine<Theirs>(end: LineEnd, mine: object): Ask<Theirs> {
  const waiting = new Map<number, (message: LineAnswer) => void>();
  let asked = 0;
  const send = (message: LineMessage): void => {
    const { value } = message;
    end.postMessage(message, (typeof value === 'object' && value !== null && moved.get(value)) || []);
  };
  const answer = async (ask: number, name: string, value: unknown): Promise<void> => {
    try {
      const question = (mine as Record<string, (value: unknown) => unknown>)[name];
      send({ answer: ask, value: await question?.(value), error: undefined });
    } catch (thrown) {
      send({ answer: ask, value: undefined, error: toInferenceError(thrown).serialize() });
    }
  };
  end.addEventListener('message', ({ data }) => {
    if (!data) return;
    if ('ask' in data) void answer(data.ask, data.name, data.value);
    else if ('answer' in data) waiting.get(data.answer)?.(data);
  });
  end.start?.();
  return (name, value) =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, ({ error, value: answered }) => {
        waiting.delete(id);
        if (error) reject(deserializeInferenceError(error));
        else resolve(answered as never);
      });
      send({ ask: id, name, value });
    });
}
