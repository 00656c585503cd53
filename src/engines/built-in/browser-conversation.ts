/** Sessions for requests: found, continued or opened, with the prompt that is still to be read. @module */
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { promptTooLong } from '../../language/prompt/context-window.js';
import { type BrowserPrompt, turnKeys } from './browser-prompt.js';
import {
  type Expectations,
  type LanguageModelFactory,
  type LanguageModelSession,
  measure,
  onOverflow,
  type PromptMessage,
  type PromptSettings,
  usageOf,
} from './language-model.js';
import type { OpenSession, SessionPool } from './session-pool.js';

/** A loaded model of the browser, and its sessions. */
export interface BrowserModel {
  factory: LanguageModelFactory;
  expected: Expectations;
  contextLength: number;
  pool: SessionPool;
}

/** A session that has read all but the input. It is held until it is released. */
export interface ReadHistory {
  open: OpenSession;
  prompt: BrowserPrompt;
  inputKeys: readonly string[];
  promptTokens: number;
  cachedTokens: number;
}

/** Makes the keys of turns a caller's own: sessions of one API key are not continued by another. */
export function keyFor(caller: string | undefined): (key: string) => string {
  return (key) => (caller === undefined ? key : `${caller} ${key}`);
}

/**
 * Finds the session that knows most of the conversation, and reads the rest of what comes before the input.
 * @throws InferenceError `context_length_exceeded` before anything that does not fit is read; what the interface throws
 */
export async function readHistory(
  model: BrowserModel,
  prompt: BrowserPrompt,
  settings: PromptSettings & { signal: AbortSignal },
  caller?: string,
): Promise<ReadHistory> {
  const { signal } = settings;
  const keysOf = async (turns: readonly PromptMessage[]): Promise<string[]> =>
    (await turnKeys(turns)).map(keyFor(caller));
  const [keys, inputKeys] = await Promise.all([keysOf(prompt.history), keysOf(prompt.input)]);
  const found = model.pool.hold(keys);
  const cachedTokens = found ? usageOf(found.session) : 0;
  let open = found;
  try {
    if (found?.keys.length !== keys.length) open = await continued(model, found, { ...prompt, keys, signal });
    const promptTokens = await fitting(model, open!.session, prompt.input, settings);
    return { open: open!, prompt, inputKeys, promptTokens, cachedTokens };
  } catch (thrown) {
    if (open) model.pool.release(open);
    throw thrown;
  } finally {
    if (found && open !== found) model.pool.release(found);
  }
}

interface History {
  history: PromptMessage[];
  keys: readonly string[];
  signal: AbortSignal;
}

async function continued(
  model: BrowserModel,
  found: OpenSession | undefined,
  { history, keys, signal }: History,
): Promise<OpenSession> {
  // A session that has read nothing saves nothing, and does not accept a system prompt in early versions.
  const known = found && found.keys.length > 0 ? found.session : undefined;
  return model.pool.open(keys, async () => {
    if (!known?.clone || !known.append) return create(model, history, signal);
    const session = await orAborted(known.clone({ signal }), signal);
    try {
      const rest = history.slice(found!.keys.length);
      await fitting(model, session, rest, { signal });
      await orAborted(session.append!(rest, { signal }), signal);
      return session;
    } catch (thrown) {
      session.destroy();
      throw thrown;
    }
  });
}

/** A copy of a session, so that the turn which follows can be asked again. It is held until it is released. */
export function copySession(
  model: BrowserModel,
  { open, prompt, inputKeys }: ReadHistory,
  signal: AbortSignal,
): Promise<OpenSession> {
  return model.pool.open([...open.keys, ...inputKeys], () =>
    open.session.clone ? orAborted(open.session.clone({ signal }), signal) : create(model, prompt.history, signal),
  );
}

/** Tokens of the conversation with this input. @throws InferenceError `context_length_exceeded` */
async function fitting(
  { contextLength }: BrowserModel,
  session: LanguageModelSession,
  input: PromptMessage[],
  settings: PromptSettings & { signal: AbortSignal },
): Promise<number> {
  const tokens = usageOf(session) + (await orAborted(measure(session, input, settings), settings.signal));
  // The browser would drop the oldest turns without a word.
  if (tokens > contextLength) throw promptTooLong(contextLength, tokens);
  return tokens;
}

async function create(
  { factory, expected, contextLength }: BrowserModel,
  initialPrompts: PromptMessage[],
  signal: AbortSignal,
): Promise<LanguageModelSession> {
  const session = await orAborted(factory.create({ ...expected, initialPrompts, signal }), signal);
  const tokens = usageOf(session);
  if (tokens <= contextLength) return session;
  session.destroy();
  throw promptTooLong(contextLength, tokens);
}

/** Whether the browser has dropped turns of this session since. */
export function watchOverflow(session: LanguageModelSession): () => boolean {
  let isOver = false;
  onOverflow(session, () => (isOver = true));
  return () => isOver;
}
