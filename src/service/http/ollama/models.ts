/** GET /api/tags, POST /api/show, GET /api/ps and GET /api/version @module */
import * as v from 'valibot';
import { assumedContextLength } from '../../../core/models/assumed-context-length.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { StoredModel } from '../../../core/models/stored-model.js';
import type { HttpContext } from '../endpoint/http-context.js';
import type { EndpointBody } from '../endpoint/lazy-endpoint.js';
import { object } from '../fields/json-object.js';
import { parseBody } from '../validation/parse-body.js';
import { readJsonBody } from '../validation/read-json-body.js';
import { catalogName, computeDigest, listedName, modelField } from './names.js';

/** The Ollama whose operations these are: clients compare it with the first one that has what they need. */
const OLLAMA_VERSION = '0.40.0';

/** When a model goes of which no one has said it: programs calculate with it, so it is a date. */
const NEVER = '2999-12-31T23:59:59.000Z';

export const version: EndpointBody = { route: () => (c) => c.json({ version: OLLAMA_VERSION }) };

export const tags: EndpointBody = {
  route: (context) => async (c) => {
    const stored = await context.modelStore?.list();
    const models = await Promise.all(listed(context).map((entry) => modelObject(entry, context, stored)));
    return c.json({ models });
  },
};

export const ps: EndpointBody = {
  route: (context) => async (c) => {
    const { inference } = context;
    const models = listed(context).map(async (entry) => {
      const residence = inference.residence(entry.id);
      if (!residence) return [];
      const { bytes, expiresAt } = residence;
      const isOnGpu = statusOf(entry, context)?.device === 'webgpu';
      return [
        {
          ...(await modelObject(entry, context)),
          size: bytes,
          size_vram: isOnGpu ? bytes : 0,
          expires_at: typeof expiresAt === 'number' ? new Date(expiresAt).toISOString() : NEVER,
          context_length: contextLength(entry, context),
        },
      ];
    });
    return c.json({ models: (await Promise.all(models)).flat() });
  },
};

const SHOW = object({
  model: v.nullish(v.string()),
  name: v.nullish(v.string()),
  verbose: v.nullish(v.boolean()),
});

export const show: EndpointBody = {
  requestSchema: () => SHOW,
  route: (context) => async (c) => {
    const asked = modelField(parseBody(SHOW, await readJsonBody(c, context)));
    const { catalog } = context.inference;
    const entry = catalog.require(catalogName(catalog, asked));
    const architecture = architectureOf(entry, context) ?? 'unknown';
    return c.json({
      modelfile: `FROM ${entry.id}\n`,
      parameters: '',
      template: '',
      license: context.inference.description(entry.id)?.license ?? entry.metadata?.license ?? '',
      details: detailsOf(entry, context),
      model_info: {
        'general.architecture': architecture,
        [`${architecture}.context_length`]: contextLength(entry, context),
      },
      capabilities: capabilitiesOf(entry, context),
      modified_at: modifiedAt(context),
    });
  },
};

/** The models that these operations can use. */
function listed({ inference }: HttpContext): ModelEntry[] {
  return inference.catalog.usable().filter(({ task }) => task === 'chat' || task === 'embeddings');
}

async function modelObject(
  entry: ModelEntry,
  context: HttpContext,
  stored: readonly StoredModel[] = [],
): Promise<Record<string, unknown>> {
  const name = listedName(entry);
  return {
    name,
    model: name,
    modified_at: modifiedAt(context),
    size: storedBytes(entry, stored) || (context.inference.residence(entry.id)?.bytes ?? 0),
    digest: await computeDigest(entry),
    details: { ...detailsOf(entry, context), context_length: contextLength(entry, context) },
    capabilities: capabilitiesOf(entry, context),
  };
}

/** Of the model's files; prompts that are cached of it do not count. */
function storedBytes({ id }: ModelEntry, stored: readonly StoredModel[]): number {
  const files = stored.filter(({ models }) => models.includes(id)).flatMap((model) => model.files);
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

const FORMATS: Record<ModelEntry['backend'], string> = {
  gguf: 'gguf',
  transformers: 'onnx',
  'web-llm': 'mlc',
  scripted: 'scripted',
  'built-in': '',
  upstream: '',
};

/** As far as they are known: nothing is guessed. */
function detailsOf(entry: ModelEntry, context: HttpContext): Record<string, unknown> {
  const family = architectureOf(entry, context) ?? '';
  return {
    parent_model: '',
    format: FORMATS[entry.backend],
    family,
    families: family === '' ? [] : [family],
    parameter_size: '',
    quantization_level: precisionOf(entry, context) ?? '',
  };
}

/** Names of weights in GGUF files, as they stand at the end of the files' names. */
const GGUF_KIND = /(?:^|[-._*/])((?:I?Q\d|BF16|F16|F32|MXFP4)[\w]*)\.gguf$/i;

function precisionOf(entry: ModelEntry, context: HttpContext): string | undefined {
  const { file, source, dtype } = entry;
  const loaded = statusOf(entry, context)?.dtype;
  if (entry.backend === 'gguf') return (GGUF_KIND.exec(file ?? source ?? '')?.[1] ?? loaded)?.toUpperCase();
  return loaded ?? (typeof dtype === 'string' && dtype !== 'auto' ? dtype : undefined);
}

function architectureOf(entry: ModelEntry, { inference }: HttpContext): string | undefined {
  return entry.metadata?.architecture ?? inference.description(entry.id)?.architecture;
}

function contextLength(entry: ModelEntry, { inference }: HttpContext): number {
  return inference.contextLength(entry.id) ?? assumedContextLength(entry);
}

function statusOf({ id }: ModelEntry, { inference }: HttpContext) {
  return inference.status().find((status) => status.id === id);
}

function capabilitiesOf(entry: ModelEntry, { inference }: HttpContext): string[] {
  if (entry.task === 'embeddings') return ['embedding'];
  if (entry.task !== 'chat') return [];
  const told = entry.metadata?.capabilities ?? [];
  const sees = inference.takesImages(entry.id) ?? entry.script?.images ?? told.includes('vision');
  const thinks = inference.thinks(entry.id) ?? told.includes('reasoning');
  return ['completion', 'tools', ...(sees ? ['vision'] : []), ...(thinks ? ['thinking'] : [])];
}

function modifiedAt({ startedAt }: HttpContext): string {
  return new Date(startedAt * 1000).toISOString();
}
