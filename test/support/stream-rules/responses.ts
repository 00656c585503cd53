import type { Demand, StreamValidator } from './stream-validator.js';

interface OpenItem {
  item: any;
  /** Of the open content part. */
  part: any;
  parts: number;
  text: string;
  textDone: boolean;
  /** The text of its summary part; undefined without one. */
  summary: string | undefined;
  summaryStage: 'none' | 'open' | 'text-done' | 'done';
}

const PREFIXES: Record<string, string> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  custom_tool_call: 'ctc_',
  file_search_call: 'fs_',
};

/** Where a call of either kind has what the model wrote. */
const WRITTEN: Record<string, string> = { function_call: 'arguments', custom_tool_call: 'input' };
const PART_TYPES: Record<string, string> = { message: 'output_text', reasoning: 'reasoning_text' };

/** Order of a Responses stream, as strictly as the official accumulator, and the pairing of every start and end. */
export function validateResponses(demand: Demand): StreamValidator {
  let sequence = 0;
  let stage: 'before' | 'created' | 'running' | 'ended' | 'erred' | 'failed' = 'before';
  let id: string | undefined;
  let open: OpenItem | undefined;
  const items: any[] = [];
  const ids = new Set<string>();

  const unique = (value: unknown, prefix: string): void => {
    demand(
      typeof value === 'string' && value.startsWith(prefix) && !ids.has(value),
      `ids are unique and start with ${prefix}`,
    );
    ids.add(value);
  };

  const current = (data: any): OpenItem => {
    demand(open && stage === 'running', `${data.type} needs an open item`);
    demand(data.output_index === items.length, 'output_index is that of the open item');
    if ('item_id' in data) demand(data.item_id === open.item.id, 'item_id is that of the open item');
    for (const index of ['content_index', 'summary_index']) {
      if (index in data) demand(data[index] === 0, 'items have one part, of index 0');
    }
    return open;
  };

  const addItem = (data: any): void => {
    demand(stage === 'running' && !open, 'items follow one another');
    demand(data.output_index === items.length, 'output indices count from 0 by ones');
    const { item } = data;
    unique(item.id, PREFIXES[item.type] ?? '?');
    demand(item.status === 'in_progress', 'an item starts in progress');
    const written = WRITTEN[item.type];
    if (written) {
      unique(item.call_id, 'call_');
      demand(item.name && item[written] === '', 'a call starts with its name and without arguments');
    } else if (item.type === 'file_search_call') demand(item.results === null, 'a search starts without results');
    else demand(item.content.length === 0, 'an item starts without content');
    demand(!item.summary?.length, 'an item starts without a summary');
    open = { item, part: undefined, parts: 0, text: '', textDone: false, summary: undefined, summaryStage: 'none' };
  };

  const addPart = (data: any): void => {
    const item = current(data);
    demand(!item.part && item.parts === 0, 'parts follow one another');
    demand(
      data.part.type === PART_TYPES[item.item.type] && data.part.text === '',
      'a part starts empty, of its item’s type',
    );
    item.part = data.part;
  };

  const addText = (data: any, partType: string | undefined): void => {
    const item = current(data);
    demand(partType === item.part?.type, 'a delta fits its part');
    demand(!item.textDone && typeof data.delta === 'string', 'deltas come before done');
    item.text += data.delta;
  };

  const endText = (data: any, partType: string | undefined, text: string): void => {
    const item = current(data);
    demand(partType === item.part?.type && !item.textDone, 'done comes once');
    demand(text === item.text, 'deltas join to the text of done');
    item.textDone = true;
  };

  const endPart = (data: any): void => {
    const item = current(data);
    demand(item.part && item.textDone, 'a part ends after its text');
    demand(data.part.type === item.part.type && data.part.text === item.text, 'the part is whole');
    const { found = [] } = item.part;
    demand(JSON.stringify(data.part.annotations ?? []) === JSON.stringify(found), 'the part has the annotations');
    item.part = undefined;
    item.parts += 1;
  };

  const takeSummary = (data: any): void => {
    const item = current(data);
    demand(item.item.type === 'reasoning', 'only reasoning has a summary');
    switch (data.type) {
      case 'response.reasoning_summary_part.added':
        demand(item.summaryStage === 'none' && data.part.type === 'summary_text', 'a summary starts once');
        item.summary = data.part.text;
        item.summaryStage = 'open';
        return demand(item.summary === '', 'a summary starts empty');
      case 'response.reasoning_summary_text.delta':
        demand(item.summaryStage === 'open', 'a summary grows while it is open');
        item.summary += data.delta;
        return;
      case 'response.reasoning_summary_text.done':
        demand(item.summaryStage === 'open' && data.text === item.summary, 'deltas join to the summary');
        item.summaryStage = 'text-done';
        return;
      default:
        demand(item.summaryStage === 'text-done' && data.part.text === item.summary, 'a summary ends whole');
        item.summaryStage = 'done';
    }
  };

  const endItem = (data: any): void => {
    if (open?.item.type === 'file_search_call') {
      demand(open.text === 'in_progress searching completed', 'a search ends after its steps');
      items.push(data.item);
      open = undefined;
      return;
    }
    const { item, part, text, textDone, summary, summaryStage } = current(data);
    demand(!part && textDone, 'an item ends after its content');
    demand(summaryStage === 'none' || summaryStage === 'done', 'an item ends after its summary');
    demand(data.item.summary?.[0]?.text === summary, 'the summary is what was streamed');
    demand(data.item.id === item.id && data.item.type === item.type, 'the item is the one that started');
    demand(['completed', 'incomplete'].includes(data.item.status), 'an ended item has its status');
    const written = WRITTEN[item.type];
    demand((written ? data.item[written] : data.item.content[0].text) === text, 'the item is whole');
    if (written) {
      demand(data.item.call_id === item.call_id && data.item.name === item.name, 'a call keeps its call_id and name');
    }
    items.push(data.item);
    open = undefined;
  };

  const endResponse = (data: any, status: string): void => {
    const { response } = data;
    demand(response.status === status && response.id === id, 'the response ends under its id and status');
    if (status === 'failed') {
      demand(response.error?.code && response.error.message, 'a failed response says why');
    } else {
      demand(!open, 'every item has ended');
      demand(JSON.stringify(response.output) === JSON.stringify(items), 'the output is what was streamed');
      demand(response.usage.total_tokens > 0, 'the response carries its usage');
      demand((status === 'completed') === (response.completed_at !== null), 'completed_at is for completed ones');
    }
    demand((status === 'incomplete') === (response.incomplete_details !== null), 'incomplete_details says why');
    if (status === 'completed')
      demand(
        items.every((item) => item.status === 'completed'),
        'all items are completed',
      );
    stage = status === 'failed' ? 'failed' : 'ended';
  };

  const take = (data: any): void => {
    switch (data.type) {
      case 'response.created':
      case 'response.in_progress':
        demand(stage === (data.type === 'response.created' ? 'before' : 'created'), 'created, then in_progress, once');
        stage = stage === 'before' ? 'created' : 'running';
        demand(data.response.status === 'in_progress' && data.response.output.length === 0, 'it starts empty');
        id ??= data.response.id;
        demand(id?.startsWith('resp_') && data.response.id === id, 'the response keeps its id');
        return;
      case 'response.output_item.added':
        return addItem(data);
      case 'response.file_search_call.in_progress':
      case 'response.file_search_call.searching':
      case 'response.file_search_call.completed': {
        const item = current(data);
        item.text = [item.text, data.type.split('.').at(-1)].join(' ').trim();
        return;
      }
      case 'response.output_text.annotation.added': {
        const { part } = current(data);
        demand(data.annotation_index === (part.found ??= []).length, 'annotations are counted from 0');
        return void part.found.push(data.annotation);
      }
      case 'response.content_part.added':
        return addPart(data);
      case 'response.output_text.delta':
        return addText(data, 'output_text');
      case 'response.reasoning_text.delta':
        return addText(data, 'reasoning_text');
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return addText(data, undefined);
      case 'response.output_text.done':
        return endText(data, 'output_text', data.text);
      case 'response.reasoning_text.done':
        return endText(data, 'reasoning_text', data.text);
      case 'response.function_call_arguments.done':
        demand(data.name === open?.item.name, 'done repeats the name');
        return endText(data, undefined, data.arguments);
      case 'response.custom_tool_call_input.done':
        return endText(data, undefined, data.input);
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_summary_text.done':
      case 'response.reasoning_summary_part.done':
        return takeSummary(data);
      case 'response.content_part.done':
        return endPart(data);
      case 'response.output_item.done':
        return endItem(data);
      case 'response.completed':
      case 'response.incomplete':
        demand(stage === 'running', 'there is one end');
        return endResponse(data, data.type.slice('response.'.length));
      case 'response.failed':
        return endResponse(data, 'failed');
      case 'error':
        demand(stage === 'running', 'an error comes inside the response');
        demand(typeof data.message === 'string' && data.error?.type, 'an error has a message and a type');
        demand(typeof data.request_id === 'string', 'an error has the request_id of the general shape');
        stage = 'erred';
        return;
      case 'keepalive':
        demand(stage !== 'before', 'nothing comes before response.created');
        return;
      default:
        demand(false, `${data.type} is no event of this dialect`);
    }
  };

  return {
    take(data, name) {
      demand(name === data.type, 'the event is named by its type');
      demand(data.sequence_number === sequence, 'sequence_number counts from 0 by ones');
      sequence += 1;
      demand(stage !== 'ended' && stage !== 'failed', 'nothing follows the end');
      take(data);
    },
    end(end) {
      demand(stage === (end === 'failed' ? 'failed' : 'ended'), `the stream ends ${end}`);
    },
  };
}
