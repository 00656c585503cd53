/** `inpage serve`. @module */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServeOptions } from '../bridge/serve-inference.js';

/** Values of the command line. */
export interface ServeArguments {
  port?: string | undefined;
  config?: string | undefined;
  chromium?: string | undefined;
  /** Only with a key, which is made up and printed. */
  key?: boolean | undefined;
}

/**
 * Serves until the process is told to end.
 * @throws Error that names the argument
 */
export async function serve({ port = '8080', config, chromium, key = false }: ServeArguments): Promise<void> {
  if (!/^\d{1,5}$/.test(port)) throw new Error('--port must be a number.');
  const options = config === undefined ? {} : (JSON.parse(readFileSync(config, 'utf8')) as ServeOptions);
  const { serveInference } = await import('../bridge/serve-inference.js');
  const apiKey = key ? `sk-inpage-${randomBytes(24).toString('base64url')}` : undefined;
  const server = await serveInference({
    ...options,
    ...(apiKey !== undefined && { apiKeys: [apiKey] }),
    port: Number(port),
    ...(chromium !== undefined && { launch: { executablePath: chromium } }),
  });
  process.stdout.write(`inpage: serving ${server.baseURL}\n`);
  if (server.sandbox === false) {
    process.stdout.write(
      'inpage: Chromium runs without its sandbox, which cannot run here (as root, or in this container)\n',
    );
  }
  if (apiKey !== undefined) process.stdout.write(clientLines(server.baseURL, apiKey));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
}

/** How clients are told of the service, to copy. */
function clientLines(baseURL: string, apiKey: string): string {
  return `
  const openai = new OpenAI({ baseURL: '${baseURL}', apiKey: '${apiKey}' });
  const anthropic = new Anthropic({ baseURL: '${baseURL.replace(/\/v1$/, '')}', apiKey: '${apiKey}' });

`;
}
