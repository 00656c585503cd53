/** Hosts of inference APIs, which no test should ask for real. @module */

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

/** How a test has its requests to such a host answered. */
export function allowHint({ origin, host, pathname }: URL): string {
  const base = `${origin}${/^(\/.*?)?\/v\d+[a-z]*(?=\/|$)/.exec(pathname)?.[0] ?? ''}`;
  return `Add '${base}' to \`inferenceOptions.intercept\`, or let it through with \`allowHosts: ['${host}']\`.`;
}
