import type { Demand, StreamValidator } from './stream-validator.js';

const DELTAS: Record<string, string[]> = {
  text: ['text_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
};

/** Order of a Messages stream: message_start, ping, blocks one after the other, message_delta, message_stop. */
export function validateMessages(demand: Demand): StreamValidator {
  let stage: 'before' | 'started' | 'ending' | 'stopped' | 'failed' = 'before';
  let sawPing = false;
  let open: { type: string; json: string; signed: boolean } | undefined;
  let blocks = 0;
  let stopReason: string | undefined;
  const ids = new Set<string>();

  const startBlock = (data: any): void => {
    demand(stage === 'started' && !open, 'a block starts inside the message and outside other blocks');
    demand(sawPing, 'a ping follows message_start');
    demand(data.index === blocks, 'block indices count from 0 by ones');
    const block = data.content_block;
    demand(DELTAS[block.type], 'the block is of a known type');
    if (block.type === 'tool_use') {
      demand(/^toolu_./.test(block.id) && !ids.has(block.id), 'tool_use ids are unique');
      demand(JSON.stringify(block.input) === '{}', 'a tool_use block starts with an empty input');
      ids.add(block.id);
    }
    open = { type: block.type, json: '', signed: false };
  };

  const addDelta = ({ index, delta }: any): void => {
    demand(open && index === blocks, 'a delta belongs to the open block');
    demand(DELTAS[open.type]!.includes(delta.type), `a ${open.type} block takes no ${delta.type}`);
    demand(!open.signed, 'the signature is the last delta of its block');
    if (delta.type === 'signature_delta') open.signed = true;
    if (delta.type === 'input_json_delta') open.json += delta.partial_json;
  };

  const stopBlock = (data: any): void => {
    demand(open && data.index === blocks, 'a stop belongs to the open block');
    demand(open.type !== 'thinking' || open.signed, 'a thinking block is signed');
    lastInput = open.type === 'tool_use' ? open.json : undefined;
    open = undefined;
    blocks += 1;
  };
  let lastInput: string | undefined;

  const endMessage = (data: any): void => {
    demand(stage === 'started' && !open, 'message_delta comes once, after all blocks');
    stage = 'ending';
    stopReason = data.delta.stop_reason;
    demand(
      ['end_turn', 'max_tokens', 'stop_sequence', 'tool_use'].includes(stopReason!),
      'message_delta has a stop_reason',
    );
    demand((stopReason === 'stop_sequence') === (data.delta.stop_sequence !== null), 'stop_sequence names what fired');
    demand(Number.isInteger(data.usage.output_tokens), 'message_delta has usage.output_tokens');
    if (stopReason !== 'max_tokens' && lastInput !== undefined) {
      demand(typeof JSON.parse(lastInput || '{}') === 'object', 'tool input joins to JSON');
    }
  };

  return {
    take(data, name) {
      demand(name === data.type, 'the event is named by its type');
      demand(stage !== 'stopped' && stage !== 'failed', 'nothing follows the end');
      switch (data.type) {
        case 'message_start':
          demand(stage === 'before', 'message_start comes once, first');
          stage = 'started';
          demand(/^msg_./.test(data.message.id), 'the message has an id');
          demand(data.message.content.length === 0 && data.message.stop_reason === null, 'the message starts empty');
          demand(Number.isInteger(data.message.usage.input_tokens), 'message_start has usage.input_tokens');
          return;
        case 'ping':
          if (stage === 'started') sawPing = true;
          return;
        case 'content_block_start':
          return startBlock(data);
        case 'content_block_delta':
          return addDelta(data);
        case 'content_block_stop':
          return stopBlock(data);
        case 'message_delta':
          return endMessage(data);
        case 'message_stop':
          demand(stage === 'ending', 'message_stop follows message_delta');
          stage = 'stopped';
          return;
        case 'error':
          demand(data.error?.type && data.error.message && data.request_id, 'an error is the dialect’s error object');
          stage = 'failed';
          return;
        default:
          demand(false, `${data.type} is no event of this dialect`);
      }
    },
    end(end) {
      demand(stage === (end === 'failed' ? 'failed' : 'stopped'), `the stream ends ${end}`);
    },
  };
}
