/** Finds the form of a conversation in which a template keeps every word of it, and renders that. @module */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import type { ToolSyntax } from '../families/format/model-family.js';
import { adaptConversation } from './adapt-conversation.js';
import { compiledTemplate } from './chat-template.js';
import type { PromptImages } from './prompt-image.js';
import { hasLateSystem, type TemplateMessage, type TemplateTool, withLeadingSystem } from './template-messages.js';
import { type Reading, READINGS, SYSTEM_READINGS, toolReadings } from './template-readings.js';
import { type TemplateTraits, templateTraits } from './template-traits.js';
import { type WrittenWords, writtenWords } from './written-words.js';

/** What templates are asked to render. */
export interface TemplateRequest {
  /** How calls are written out and explained where the template cannot. */
  syntax: ToolSyntax;
  messages: readonly TemplateMessage[];
  tools: readonly TemplateTool[];
  variables: Record<string, unknown>;
  images: MarkedImages | undefined;
}

/** `mark` stands for each image in the messages. */
type MarkedImages = PromptImages & { mark: string };

/** A conversation as one template is to get it. */
interface Attempt {
  source: string;
  messages: readonly TemplateMessage[];
  tools: readonly TemplateTool[];
  variables: Record<string, unknown>;
  images: MarkedImages | undefined;
  groups: readonly (readonly Reading[])[];
}

/** A prompt, and what its template writes of a conversation in the same form. */
interface Attempted {
  text: string;
  written: WrittenWords;
}

/**
 * Of the readings that the templates accept, the first that loses nothing; else the one that loses least. Late system messages
 * stay in their place where the template keeps all words in theirs. A reading that loses words of the user is none.
 * @throws InferenceError `invalid_request` when all templates refuse the conversation
 */
export function renderConversation(sources: readonly string[], request: TemplateRequest): string {
  const refusals: unknown[] = [];
  let best: { text: string; missing: number } | undefined;
  for (const source of sources) {
    const traits = templateTraits(source);
    const inPlace = textInPlace(source, request, traits);
    if (inPlace !== undefined) return inPlace;
    const { messages, tools } = adapted(request, withLeadingSystem(request.messages), traits);
    for (const { text, written } of attempts({ ...request, source, messages, tools, groups: READINGS }, refusals)) {
      const { missing, missesUser } = written;
      if (missing === 0) return text;
      if (missesUser) refusals.push(new Error("It leaves out the user's words."));
      else if (!best || missing < best.missing) best = { text, missing };
    }
  }
  if (best) return best.text;
  const [refusal] = refusals;
  const reason = refusal instanceof Error ? refusal.message : 'unknown reason';
  throw new InferenceError('invalid_request', `The model's chat template refused the conversation: ${reason}`, {
    param: 'messages',
  });
}

function adapted(
  { tools, syntax }: TemplateRequest,
  messages: readonly TemplateMessage[],
  traits: TemplateTraits,
): Pick<Attempt, 'messages' | 'tools'> {
  return adaptConversation({ messages, tools }, traits, syntax);
}

/** The prompt with late system messages where they stand; undefined where there are none or the template cannot. */
function textInPlace(source: string, request: TemplateRequest, traits: TemplateTraits): string | undefined {
  const { messages, images } = request;
  if (!hasLateSystem(messages)) return undefined;
  // Images are read in the order of {@link imagesOf}.
  if (images && messages.some(({ role, content }) => role === 'system' && content.includes(images.mark)))
    return undefined;
  const given = adapted(request, messages, traits);
  if (!hasLateSystem(given.messages)) return undefined;
  for (const { text, written } of attempts({ ...request, source, ...given, groups: SYSTEM_READINGS }, []))
    if (written.missing === 0 && written.inOrder) return text;
  return undefined;
}

/** The first of each group of readings that the template accepts. @param refusals gets why it did not accept the others */
function* attempts(attempt: Attempt, refusals: unknown[]): Generator<Attempted, void, undefined> {
  const { images } = attempt;
  for (const messages of images ? imageForms(attempt.messages, images) : [attempt.messages]) {
    // Written out, images need no parts.
    const mark = images && messages.some(({ content }) => content.includes(images.mark)) ? images.mark : undefined;
    for (const readings of attempt.groups) {
      const attempted = firstAccepted({ ...attempt, messages }, { readings, mark }, refusals);
      if (attempted) yield attempted;
    }
  }
}

function firstAccepted(
  { source, messages, tools, variables, images }: Attempt,
  { readings, mark }: { readings: readonly Reading[]; mark: string | undefined },
  refusals: unknown[],
): Attempted | undefined {
  const template = compiledTemplate(source);
  for (const given of toolReadings(tools)) {
    for (const reading of readings) {
      try {
        const all = { ...variables, tools: given };
        const text = template.render({ ...all, messages: reading(messages, mark) });
        const read = (probed: readonly TemplateMessage[]): unknown => reading(probed, mark);
        const written = writtenWords(template, messages, { variables: all, read, mark });
        if (!images) return { text, written };
        const pieces = text.split(images.placeholder);
        if (pieces.length === images.all.length + 1) return { text: withImages(pieces, images), written };
        refusals.push(new Error('It leaves out the images.'));
      } catch (error) {
        // Another reading of the conversation would loop as often.
        if (isInferenceError(error)) throw error;
        refusals.push(error);
      }
    }
  }
  return undefined;
}

/** The conversation, and then forms of it in which its images depend less on the template. */
function imageForms(
  messages: readonly TemplateMessage[],
  { mark, placeholder }: MarkedImages,
): (readonly TemplateMessage[])[] {
  const written = messages.map((message) => ({ ...message, content: message.content.replaceAll(mark, placeholder) }));
  // Results of tools are text for most templates; the one who asked can show what came with them.
  return [messages, withShownImages(messages, mark), written];
}

/** Images of tool results in a message of the user behind them. */
function withShownImages(messages: readonly TemplateMessage[], mark: string): TemplateMessage[] {
  const shown: TemplateMessage[] = [];
  let waiting = '';
  for (const message of messages) {
    if (waiting !== '' && message.role !== 'tool') {
      shown.push({ role: 'user', content: waiting });
      waiting = '';
    }
    const isResult = message.role === 'tool';
    if (isResult) waiting += mark.repeat(message.content.split(mark).length - 1);
    shown.push(isResult ? { ...message, content: message.content.replaceAll(mark, '') } : message);
  }
  return waiting === '' ? shown : [...shown, { role: 'user', content: waiting }];
}

/** The prompt with what the model's processor writes in place of each placeholder. */
function withImages(pieces: readonly string[], { all }: PromptImages): string {
  return pieces.map((piece, index) => (all[index - 1]?.text ?? '') + piece).join('');
}
