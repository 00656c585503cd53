/** Which reply answers a request: those that a test has added, then the model's own; some are functions of the test. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { Script, ScriptedReply } from '../../core/models/script.js';
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { Asked } from '../../engines/scripted/asked.js';
import { emptyReply, Replies } from '../../engines/scripted/choose-reply.js';
import type { Miss } from '../../engines/scripted/match-reply.js';
import { findExact } from '../../engines/scripted/replay.js';
import { chatForm } from './chat-form.js';
import { type CurrentRequest, currentRequest } from './current-request.js';
import type { SentReply, SentScript } from './protocol.js';

/** Asks a function of the test. @returns undefined: it does not fit */
export type AskFunction = (
  number: number,
  request: string,
  current: CurrentRequest,
) => Promise<ScriptedReply | undefined>;

/** A reply, and the script that it is of, with what its engine must know. */
export interface ChosenReply {
  reply: ScriptedReply;
  /** Its replies are data. */
  script: Script;
  /** It is one of the model's own, and no function made it. */
  isOwn: boolean;
}

interface AskedRequest {
  request: GenerationRequest;
  asked: Asked;
}

/** The replies of one script, with those that are functions. */
class ScriptReplies {
  readonly script: SentScript;
  readonly #data: Replies;

  constructor(script: SentScript) {
    this.script = script;
    this.#data = new Replies(script.replies.filter((reply): reply is ScriptedReply => !isFunction(reply)));
  }

  /** @param misses gets why the others do not fit */
  async find({ request, asked }: AskedRequest, ask: AskFunction, misses: Miss[]): Promise<ChosenReply | undefined> {
    const exact = await findExact(this.#data.all, request);
    if (exact) return this.#take(exact);
    const { replies } = this.script;
    for (const reply of replies.filter((each) => isFunction(each) || each.match !== undefined)) {
      if (isFunction(reply)) {
        const made = await askFunction(reply.function, { request, asked }, ask);
        if (made) return { reply: made, script: { ...this.script, replies: [made] }, isOwn: false };
        misses.push({ match: 'a function', reason: 'returned undefined', nearness: 0 });
      } else {
        const miss = this.#data.missOf(reply, asked);
        if (!miss) return this.#take(reply);
        misses.push(miss);
      }
    }
    for (const reply of this.#data.all.filter(({ match }) => match === undefined)) {
      const miss = this.#data.missOf(reply, asked);
      if (!miss) return this.#take(reply);
      misses.push(miss);
    }
    return undefined;
  }

  #take(reply: ScriptedReply): ChosenReply {
    this.#data.count(reply);
    return { reply, script: { ...this.script, replies: [...this.#data.all] }, isOwn: true };
  }
}

const isFunction = (reply: SentReply): reply is { function: number } => 'function' in reply;

async function askFunction(
  number: number,
  { request, asked }: AskedRequest,
  ask: AskFunction,
): Promise<ScriptedReply | undefined> {
  const current = currentRequest.getStore();
  if (!current) throw new InferenceError('internal', 'A reply function was called outside of a request.');
  const { messages, tools } = chatForm(request, asked.last);
  const { endpoint, body, headers, model } = current;
  const facts = { endpoint, model: model ?? request.model, messages, tools, headers };
  const state = { turn: asked.turn, hasToolResult: asked.toolResults.length > 0 };
  return ask(
    number,
    JSON.stringify({ ...facts, ...state, body: body === undefined ? null : JSON.parse(body) }),
    current,
  );
}

/** All replies between two resets. */
export class ReplyDesk {
  readonly #ask: AskFunction;
  readonly #added: { replies: ScriptReplies; model: string | undefined }[] = [];
  readonly #own = new Map<string, ScriptReplies>();

  /** @param scripts of the models, by their ids */
  constructor(scripts: ReadonlyMap<string, SentScript>, ask: AskFunction) {
    this.#ask = ask;
    for (const [id, script] of scripts) this.#own.set(id, new ScriptReplies(script));
  }

  /** @param model absent: for all */
  add(script: SentScript, model: string | undefined): void {
    this.#added.unshift({ replies: new ScriptReplies(script), model });
  }

  /** Whether only the model's own replies can answer, and all of them are data. */
  isPlain({ id, aliases = [] }: ModelEntry): boolean {
    const isFor = ({ model }: { model: string | undefined }): boolean =>
      model === undefined || model === id || aliases.includes(model);
    return !this.#added.some(isFor) && this.#own.get(id)?.script.replies.some(isFunction) !== true;
  }

  /** Why what was added for other models does not fit. */
  #othersOf(id: string): Miss[] {
    return this.#added.flatMap(({ model }) =>
      model === undefined
        ? []
        : [{ match: `a reply for ${model}`, reason: `the request is for the model ${id}`, nearness: 0 }],
    );
  }

  /**
   * @throws InferenceError `invalid_request` where none fits, and the script allows no empty answer
   */
  async choose({ id, aliases = [] }: ModelEntry, asked: AskedRequest): Promise<ChosenReply> {
    const misses: Miss[] = [];
    const added = this.#added.filter(({ model }) => model === undefined || model === id || aliases.includes(model));
    for (const { replies } of added) {
      const found = await replies.find(asked, this.#ask, misses);
      if (found) return { ...found, isOwn: false };
    }
    const own = this.#own.get(id);
    const found = await own?.find(asked, this.#ask, misses);
    if (found) return found;
    if (misses.length === 0) misses.push(...this.#othersOf(id));
    const script = own?.script ?? { replies: [] };
    const { onUnmatched } =
      [script, ...added.map(({ replies }) => replies.script)].find((each) => each.onUnmatched) ?? {};
    const failing = script.failWith === undefined ? {} : { failWith: script.failWith };
    try {
      const settings = { replies: [], ...(onUnmatched && { onUnmatched }), ...failing };
      return { reply: emptyReply(settings, misses, asked.asked), script: { ...script, replies: [] }, isOwn: true };
    } catch (thrown) {
      currentRequest.getStore()?.onUnmatched();
      throw thrown;
    }
  }
}
