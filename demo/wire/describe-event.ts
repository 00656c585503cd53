/** The interesting part of an event, for one line of the wire panel. */
import { formatBytes } from '../parts/format-bytes.js';

export interface EventSummary {
  /** What kind of event, in a word or its own name. */
  label: string;
  /** What it says. */
  text: string;
  /** Colors the label. */
  tone: 'text' | 'thought' | 'call' | 'frame' | 'error';
}

type Json = Record<string, any>;

export function describeEvent(data: string): EventSummary {
  if (data === '[DONE]') return { label: '[DONE]', text: '', tone: 'frame' };
  let event: Json;
  try {
    event = JSON.parse(data) as Json;
  } catch {
    return { label: 'text', text: data, tone: 'error' };
  }
  if (event['error']) {
    const { error } = event;
    return { label: 'error', text: typeof error === 'string' ? error : error.message, tone: 'error' };
  }
  if (event['choices']) return describeChatChunk(event);
  if (Array.isArray(event['data'])) return describeEmbeddings(event);
  if (typeof event['type'] === 'string') return describeNamedEvent(event, event['type']);
  return { label: 'answer', text: typeof event['text'] === 'string' ? event['text'] : data, tone: 'text' };
}

/** Chat completions: the kind follows from the delta's fields. */
function describeChatChunk({ choices, usage }: Json): EventSummary {
  const choice = choices[0];
  const delta: Json = choice?.delta ?? choice?.message ?? {};
  const call = delta['tool_calls']?.[0]?.function;
  if (call) return { label: call.name ?? 'arguments', text: call.arguments, tone: 'call' };
  if (delta['reasoning']) return { label: 'reasoning', text: quoted(delta['reasoning']), tone: 'thought' };
  if (delta['content']) return { label: 'content', text: quoted(delta['content']), tone: 'text' };
  if (choice?.finish_reason) return { label: 'finish', text: choice.finish_reason, tone: 'frame' };
  if (usage)
    return { label: 'usage', text: `${usage.prompt_tokens} in, ${usage.completion_tokens} out`, tone: 'frame' };
  return { label: 'role', text: delta['role'] ?? '', tone: 'frame' };
}

/** Messages, Responses and transcripts name their events. */
function describeNamedEvent(event: Json, type: string): EventSummary {
  const { delta } = event;
  if (typeof event['bytes'] === 'number') return { label: type, text: formatBytes(event['bytes']), tone: 'text' };
  const piece: unknown = typeof delta === 'string' ? delta : (delta?.text ?? delta?.thinking ?? delta?.partial_json);
  const label = type.replace(/^response\./, '');
  if (typeof piece === 'string') {
    const isThought = /reasoning/.test(type) || delta?.type === 'thinking_delta';
    const isCall = /arguments/.test(type) || delta?.type === 'input_json_delta';
    return { label, text: quoted(piece), tone: isThought ? 'thought' : isCall ? 'call' : 'text' };
  }
  const usage = event['usage'] ?? event['response']?.usage ?? event['message']?.usage;
  const said = delta?.stop_reason ?? event['text'] ?? event['content_block']?.type ?? event['item']?.type;
  const tokens = usage ? `${usage.input_tokens ?? 0} in, ${usage.output_tokens ?? 0} out` : '';
  return { label, text: [said, tokens].filter(Boolean).join(' · '), tone: 'frame' };
}

function describeEmbeddings({ data, usage }: Json): EventSummary {
  const size = data[0]?.embedding?.length ?? 0;
  const text = `${data.length} × ${size} numbers · ${usage?.prompt_tokens ?? 0} tokens`;
  return { label: data.length === 1 ? 'embedding' : 'embeddings', text, tone: 'text' };
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
