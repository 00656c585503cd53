/** Keeps an app under test from asking a provider's API for real. @module */
import type { BrowserContext, Request, Route } from 'playwright';
import type { ModelEntry } from '../../core/models/model-entry.js';

/** Hosts of inference APIs; a dot at the beginning stands for all below. */
const KNOWN_HOSTS = [
  'api.openai.com',
  '.openai.azure.com',
  '.cognitiveservices.azure.com',
  '.services.ai.azure.com',
  'models.inference.ai.azure.com',
  'models.github.ai',
  'api.anthropic.com',
  'generativelanguage.googleapis.com',
  'aiplatform.googleapis.com',
  '-aiplatform.googleapis.com',
  'openrouter.ai',
  'api.mistral.ai',
  'api.groq.com',
  'api.together.xyz',
  'api.together.ai',
  'api.deepseek.com',
  'api.cohere.com',
  'api.cohere.ai',
  'api.x.ai',
  'api.perplexity.ai',
  'api.fireworks.ai',
  'api.cerebras.ai',
  'api.sambanova.ai',
  'api.deepinfra.com',
  'api.replicate.com',
  'api.moonshot.ai',
  'dashscope-intl.aliyuncs.com',
  'integrate.api.nvidia.com',
  'router.huggingface.co',
  'api-inference.huggingface.co',
  'ai-gateway.vercel.sh',
  'gateway.ai.cloudflare.com',
];
/** Hosts that are named by region. */
const KNOWN_PATTERN = /^bedrock-runtime\.[\w-]+\.amazonaws\.com$/;

/** Whether a host answers to an inference API that bills or knows its callers. */
export function isKnownHost(host: string): boolean {
  return (
    KNOWN_PATTERN.test(host) || KNOWN_HOSTS.some((known) => (/^\w/.test(known) ? host === known : host.endsWith(known)))
  );
}

/** What may be asked for real. */
export interface Allowed {
  /** Hosts, e.g. `api.openai.com`. */
  hosts: readonly string[];
  /** Whose `upstream` ones ask where they are told to. */
  models: readonly ModelEntry[];
}

/**
 * Requests of this context to a known API fail from now on, unless the service or a route of the test answers them.
 * @param onBlocked told of each
 * @returns lets them through again
 */
export async function guardHosts(
  context: BrowserContext,
  { hosts, models }: Allowed,
  onBlocked: (request: Request) => void,
): Promise<() => Promise<void>> {
  const sources = models.filter(({ backend }) => backend === 'upstream').map(({ source = '' }) => source);
  const allowed = [...hosts, ...sources.filter((source) => URL.canParse(source)).map((source) => new URL(source).host)];
  const isGuarded = (url: URL): boolean => isKnownHost(url.host) && !allowed.includes(url.host);
  const block = async (route: Route): Promise<void> => {
    onBlocked(route.request());
    await route.abort('blockedbyclient');
  };
  await context.route(isGuarded, block);
  return () => context.unroute(isGuarded, block);
}

/** What a test's author should know of requests that were blocked. */
export function blockedMessage(requests: readonly Request[]): string {
  const urls = [...new Set(requests.map((request) => request.url().split('?')[0]!))];
  const { origin, host, pathname } = new URL(urls[0]!);
  const base = `${origin}${/^(\/.*?)?\/v\d+[a-z]*(?=\/|$)/.exec(pathname)?.[0] ?? ''}`;
  return `inpage: the app sent a request to ${urls.join(' and ')}, but nothing handles it in this test, so it was blocked. Add '${base}' to \`inferenceOptions.intercept\`, or let it through with \`allowHosts: ['${host}']\`.`;
}
