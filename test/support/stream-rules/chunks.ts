import type { Demand, StreamDialect, StreamValidator } from './stream-validator.js';

interface ChoiceState {
  started: boolean;
  finished: string | undefined;
  /** Channels may not be taken up again once left: reasoning, then content, then calls. */
  calls: Map<number, { id: string; arguments: string }>;
  sawContent: boolean;
}

/** Chunks of chat and text completions: one head, each choice ends once, then usage, then `[DONE]`. */
export function validateChunks(demand: Demand, dialect: StreamDialect): StreamValidator {
  const isChat = dialect === 'chat-completions';
  const choices = new Map<number, ChoiceState>();
  const callIds = new Set<string>();
  let head: string | undefined;
  let error = false;
  let done = false;
  let usageMode: 'none' | 'null' | undefined;
  let usage = false;

  const choiceOf = (index: number): ChoiceState => {
    demand(Number.isInteger(index) && index >= 0 && index < 8, 'a choice has an index');
    const choice = choices.get(index) ?? { started: false, finished: undefined, calls: new Map(), sawContent: false };
    choices.set(index, choice);
    return choice;
  };

  const takeCall = (choice: ChoiceState, call: any): void => {
    const known = choice.calls.get(call.index);
    if (known) {
      demand(call.id === undefined && call.function.name === undefined, 'id and name come once, first');
      demand(call.index === choice.calls.size - 1, 'calls follow one another');
      known.arguments += call.function.arguments;
      return;
    }
    demand(call.index === choice.calls.size, 'call indices count from 0 by ones');
    demand(call.id && !callIds.has(call.id), 'call ids are unique');
    demand(call.type === 'function' && call.function.name, 'a call starts with type and name');
    callIds.add(call.id);
    choice.calls.set(call.index, { id: call.id, arguments: call.function.arguments });
  };

  const takeDelta = (choice: ChoiceState, delta: any): void => {
    demand((delta.role === 'assistant') === !choice.started, 'exactly the first delta carries the role');
    if (delta.reasoning) demand(!choice.sawContent && choice.calls.size === 0, 'reasoning comes before the content');
    if (delta.content) choice.sawContent = true;
    for (const call of delta.tool_calls ?? []) takeCall(choice, call);
  };

  const finish = (choice: ChoiceState, reason: string): void => {
    demand(['stop', 'length', 'tool_calls', 'function_call'].includes(reason), 'finish_reason is one of four');
    // Of a choice with calls, too, the cap or a stop sequence may be the end.
    demand(reason !== 'tool_calls' || choice.calls.size > 0, 'tool_calls ends a choice with calls');
    if (reason === 'tool_calls') for (const call of choice.calls.values()) JSON.parse(call.arguments);
    choice.finished = reason;
  };

  const takeChoice = (data: any): void => {
    const choice = choiceOf(data.index);
    demand(choice.finished === undefined, 'nothing follows the finish_reason of a choice');
    if (isChat) takeDelta(choice, data.delta);
    else demand(typeof data.text === 'string', 'a choice has a text');
    choice.started = true;
    if (data.finish_reason !== null) finish(choice, data.finish_reason);
  };

  return {
    take(data, name) {
      demand(name === undefined, 'events are data-only');
      demand(!done, 'nothing follows [DONE]');
      if (data === '[DONE]') {
        done = true;
        return;
      }
      demand(!error && !usage, 'nothing but [DONE] follows an error or the usage');
      if (data.error) {
        error = true;
        demand(typeof (data.error.message ?? data.error) === 'string', 'an error has a message');
        return;
      }
      demand(data.object === (isChat ? 'chat.completion.chunk' : 'chat.completion'), 'object is as specified');
      const ownHead = JSON.stringify([data.id, data.created, data.model]);
      demand(data.id && (head ?? ownHead) === ownHead, 'id, created and model are the same in all chunks');
      head = ownHead;
      if (data.choices.length === 0) {
        usage = true;
        demand(usageMode === 'null' && data.usage?.total_tokens > 0, 'a chunk without choices carries the usage');
      } else {
        const mode = data.usage === undefined ? 'none' : 'null';
        demand(data.usage == null && (usageMode ?? mode) === mode, 'usage is absent or null before the end');
        usageMode = mode;
      }
      data.choices.forEach(takeChoice);
    },
    end(end) {
      demand(error === (end === 'failed'), `the stream ends ${end}`);
      if (end === 'failed') return;
      demand(done, 'the stream ends with [DONE]');
      demand(choices.size > 0, 'there is a choice');
      for (let index = 0; index < choices.size; index += 1) {
        demand(choices.get(index)?.finished, `choice ${index} has its end`);
      }
      demand(usageMode !== 'null' || usage, 'the usage comes last when it was announced');
    },
  };
}
