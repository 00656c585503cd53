/** POST /api/pull and DELETE /api/delete: the files of the catalog's models. @module */
import * as v from 'valibot';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { HttpContext, HttpRequestContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { abortWith, encodeJsonLine, JSON_LINES, streamResponse } from '../endpoint/stream-response.js';
import { errorObject } from '../errors/render-error.js';
import { object } from '../fields/json-object.js';
import { requireModel } from '../policy/require-model.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { catalogName, computeDigest, modelField } from './names.js';

const named = { model: v.nullish(v.string()), name: v.nullish(v.string()) };

const PULL = object({ ...named, stream: v.nullish(v.boolean()), insecure: v.nullish(v.boolean()) });

const DELETE = object(named);

/** A line of a download. */
type Line = { status: string } | { status: string; digest: string; total: number; completed: number };

const DONE: Line = { status: 'success' };

export const pull: EndpointBody = {
  requestSchema: () => PULL,
  route: (context) => async (c) => {
    const body = parseBody(PULL, await readJsonBody(c, context));
    const entry = requireNamed(body, context);
    await context.admit(c);
    if (body.stream === false) {
      await download(entry, context, c.req.raw.signal);
      return c.json(DONE);
    }
    const abort = abortWith(c.req.raw.signal);
    return streamResponse(context, {
      format: JSON_LINES,
      events: downloadLines(entry, context, abort.signal),
      encode: encodeJsonLine,
      abort,
      keepAlive: () => JSON_LINES.filler,
      failure: (error) => encodeJsonLine(errorObject(error, 'ollama', c.get('inferenceId'))),
    });
  },
};

export const remove: EndpointBody = {
  requestSchema: () => DELETE,
  route: (context) => async (c: HttpRequestContext) => {
    const { id } = requireNamed(parseBody(DELETE, await readJsonBody(c, context)), context);
    await context.admit(c);
    await (context.modelStore ? context.modelStore.remove(id) : context.inference.unload(id));
    return c.body(null);
  },
};

/** The entry whose files are meant, whatever its model does. @throws InferenceError */
function requireNamed(body: v.InferOutput<typeof DELETE>, { inference: { catalog } }: HttpContext): ModelEntry {
  const name = catalogName(catalog, modelField(body));
  return requireModel(catalog, name, catalog.require(name).task);
}

async function download(
  { id }: ModelEntry,
  { inference, modelStore }: HttpContext,
  signal: AbortSignal,
): Promise<void> {
  if (inference.residence(id)) return;
  // Entries that share a folder may want other files of it, so only fetching them tells whether they are there.
  const isStored = (await modelStore?.list())?.some(({ models, complete }) => complete && String(models) === id);
  if (!isStored) await inference.fetchFiles(id, { signal });
}

async function* downloadLines(
  entry: ModelEntry,
  context: HttpContext,
  signal: AbortSignal,
): AsyncGenerator<readonly Line[], void, undefined> {
  yield [{ status: 'pulling manifest' }];
  /** The latest of each file; who reads slowly gets fewer of them. */
  const news = new Map<string, { total: number; completed: number }>();
  const told = new Map<string, number>();
  let wake = (): void => {};
  const { entry: loaded } = context.inference.catalog.loadedFor(entry);
  const stopListening = context.inference.onChange((progress) => {
    if (!progress || progress.model !== loaded.id || progress.stage !== 'download') return;
    const { file, totalBytes, loadedBytes } = progress;
    if (file === undefined || totalBytes === 0) return;
    news.set(file, { total: totalBytes, completed: loadedBytes });
    wake();
  });
  let isDone = false;
  const downloading = download(entry, context, signal).finally(() => {
    isDone = true;
    wake();
  });
  // A caller that stops reading does not wait for its end.
  downloading.catch(() => {});
  try {
    for (;;) {
      const lines: Line[] = [];
      const reports = [...news];
      news.clear();
      for (const [file, { total, completed }] of reports) {
        const most = Math.max(completed, told.get(file) ?? 0);
        told.set(file, most);
        const digest = `sha256:${await computeDigest(entry, file)}`;
        lines.push({ status: `pulling ${file}`, digest, total, completed: Math.min(most, total) });
      }
      if (lines.length > 0) yield lines;
      else if (isDone) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    await downloading;
    yield [DONE];
  } finally {
    stopListening();
  }
}
