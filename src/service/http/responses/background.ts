/** Responses that are made while no one waits: begun, begun again where their engine was lost, and canceled. @module */
import { hearDefect } from '../../../core/errors/hear-defect.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import { ResumeState } from '../../answer/resume-state.js';
import { BackgroundRun } from '../../state/background-run.js';
import type { StoredResponse, ResponseStore } from '../../state/response-store.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import { errorFacts } from '../errors/error-table.js';
import { generate, renderBatches, runOptions } from '../generation/generate.js';
import { acceptBody } from '../generation/generation-route.js';
import type { RunOptions } from '../../scheduler/inference.js';
import { holdLock, type Release, tryLock } from './hold-lock.js';
import { callersOf, makeResponse, type MadeResponse } from './make-response.js';
import { failureEvents, numbered } from './progress.js';
import { createBodyReader } from './read-body.js';
import { snapshot } from './render-generation.js';
import { ENDS, type ResponseObject } from './response-object.js';
import { lockOf, stopRun, stopWhenTold } from './stop-run.js';

/** A request that ends its tab each time is begun no further. */
const MAX_STARTS = 3;

/**
 * Begins a response and finishes it even if its client leaves. A response that another host has begun is continued.
 * @throws InferenceError `invalid_request` where it is larger than what is stored may be
 */
export async function beginRun(
  made: MadeResponse,
  c: HttpRequestContext,
  context: HttpContext,
): Promise<BackgroundRun> {
  const state = await storeOf(context);
  const { owner } = made.stored;
  const { id } = made.progress.response;
  const known = state.runOf(owner, id);
  if (known) return known;
  const run = newRun(made);
  const release = await holdLock(lockOf(id), c.req.raw.signal, context.requestTimeout);
  const hasBegun = await orRelease(release, async () => {
    const starts = ((await state.findStored(owner, id))?.job?.starts ?? 0) + 1;
    const options = runOptions(c, run.isStreamed ? 'first-token' : 'result', run.abort.signal);
    return launch({ run, made, starts, options, release }, c, context);
  });
  if (hasBegun) return run;
  const message = 'The request is larger than what is stored here may be, and `background` needs it to be stored.';
  throw new InferenceError('invalid_request', message, { param: 'background' });
}

/**
 * The run of a response that is on its way. One that lost its engine is begun again.
 * @returns undefined: another engine makes it, or it is over by now
 */
export async function takeUp(
  { id, owner }: { id: string; owner: string },
  c: HttpRequestContext,
  context: HttpContext,
): Promise<BackgroundRun | undefined> {
  const state = await storeOf(context);
  const known = state.runOf(owner, id);
  if (known) return known;
  const release = await tryLock(lockOf(id));
  if (!release) return undefined;
  return orRelease(release, async () => {
    const stored = await state.findStored(owner, id);
    return stored?.job && beginAnew(stored, { owner, release }, c, context);
  });
}

/** What begins here keeps the lock until it is over. Where nothing does, or storage fails, the lock is given back. */
async function orRelease<Begun>(release: Release, begin: () => Promise<Begun>): Promise<Begun> {
  let begun: Begun | undefined;
  try {
    begun = await begin();
    return begun;
  } finally {
    if (!begun) release();
  }
}

async function beginAnew(
  stored: StoredResponse,
  { owner, release }: { owner: string; release: Release },
  c: HttpRequestContext,
  context: HttpContext,
): Promise<BackgroundRun | undefined> {
  const state = await storeOf(context);
  const response = stored.body as ResponseObject & StoredResponse['body'];
  const { json = {}, starts = 0 } = stored.job ?? {};
  const fail = async (thrown: InferenceError): Promise<undefined> => {
    const { code, message } = thrown;
    const body = {
      ...response,
      status: 'failed',
      error: { code: code === 'internal' ? 'server_error' : code, message },
    };
    await state.save(owner, { ...stored, body, job: undefined });
  };
  if (starts >= MAX_STARTS) return fail(new InferenceError('internal', 'The engine was lost each time it was begun.'));
  try {
    const accepted = await acceptBody(createBodyReader(context), { ...json }, c, context);
    const begun = { id: response.id, createdAt: response.created_at, input: stored.input };
    const made = makeResponse(accepted, callersOf(c), context, begun);
    const run = newRun(made);
    const resumeState = new ResumeState();
    const deadline = run.isStreamed ? 'first-token' : 'result';
    const options = { ...runOptions(c, deadline, run.abort.signal), resumeState };
    return (await launch({ run, made, starts: starts + 1, options, release }, c, context)) ? run : undefined;
  } catch (thrown) {
    return fail(hearDefect(thrown, { requestId: c.get('inferenceId') }));
  }
}

/** The answer to whoever cancels it. @throws InferenceError `invalid_request` for one that was not made in the background */
export async function cancelResponse(
  { id, owner }: { id: string; owner: string },
  stored: StoredResponse,
  context: HttpContext,
): Promise<object> {
  const state = await storeOf(context);
  if (!(stored.body as Partial<ResponseObject>).background) {
    const message = 'Only responses that were made with `background` can be canceled.';
    throw new InferenceError('invalid_request', message, { param: 'background' });
  }
  if (!stored.job) return stored.body;
  await stopResponse({ id, owner }, context);
  // Nobody makes it here: from now on nobody will. It changes nothing where it was finished meanwhile.
  await state.save(owner, { ...stored, body: { ...stored.body, ...CANCELLED }, job: undefined });
  return (await state.find(owner, id)) ?? stored.body;
}

/** Ends a response that is on its way, whichever engine makes it. */
export async function stopResponse({ id, owner }: { id: string; owner: string }, context: HttpContext): Promise<void> {
  const run = (await storeOf(context)).runOf(owner, id);
  if (run) return run.stop();
  return stopRun(id);
}

const CANCELLED = { status: 'cancelled' } as const;

async function storeOf({ responses }: HttpContext): Promise<ResponseStore> {
  const state = await responses?.();
  if (!state) throw new InferenceError('internal', 'Nothing is stored here.');
  return state;
}

function newRun({ progress, read }: MadeResponse): BackgroundRun {
  const run: BackgroundRun = new BackgroundRun(read.json['stream'] === true, () => ({
    ...snapshot(progress),
    status: run.hasBegun ? 'in_progress' : 'queued',
  }));
  return run;
}

interface Launched {
  run: BackgroundRun;
  made: MadeResponse;
  starts: number;
  options: RunOptions;
  release: Release;
}

/** @returns false: there is no room to keep it, and nothing was begun */
async function launch(launched: Launched, c: HttpRequestContext, context: HttpContext): Promise<boolean> {
  const { run, made, starts } = launched;
  const { progress, stored, read } = made;
  const state = await storeOf(context);
  const { id } = progress.response;
  const conversation = read.conversation && { id: read.conversation.id, read: read.conversation.ids };
  const previous = progress.response.previous_response_id ?? undefined;
  const body = asBody(run.snapshot() as ResponseObject);
  const job = { json: read.json, starts };
  const isStored = await state.save(stored.owner, { body, input: stored.input, previous, conversation, job });
  if (!isStored) return false;
  state.addRun(stored.owner, id, run);
  stopWhenTold(id, run);
  void pump(launched, c.get('inferenceId'), context).catch((thrown: unknown) => console.error(thrown));
  return true;
}

async function pump({ run, made, options, release }: Launched, requestId: string, context: HttpContext): Promise<void> {
  const { progress, stored } = made;
  const keepEnd = async (response: ResponseObject): Promise<void> => {
    const previous = response.previous_response_id ?? undefined;
    await (await storeOf(context)).save(stored.owner, { body: asBody(response), input: stored.input, previous });
  };
  try {
    const events = made.run(
      (request, render) => renderBatches(generate(context, request, options), render, request.paramNames),
      run.abort.signal,
    );
    let isOver = false;
    for await (const piece of events) {
      for (const event of piece) {
        isOver ||= ENDS.has(event.type);
        if (event.type === 'response.failed') await keepEnd(event.response);
      }
      run.add(piece.map((event) => numbered(event, progress)));
    }
    if (!isOver) throw new InferenceError('internal', 'The generation ended without a result.');
  } catch (thrown) {
    if (run.abort.signal.aborted) await keepEnd({ ...snapshot(progress), ...CANCELLED });
    else {
      const failed = failureEvents(errorFacts(hearDefect(thrown, { requestId }), 'responses'), requestId, progress);
      for (const event of failed) if (event.type === 'response.failed') await keepEnd(event.response);
      run.add(failed);
    }
  } finally {
    release();
    run.end();
  }
}

function asBody(response: ResponseObject): StoredResponse['body'] {
  return { ...response, output: response.output.map((item) => ({ ...item })) };
}
