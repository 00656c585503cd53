/** `inpage serve`. @module */
import { readFileSync } from 'node:fs';
import type { ServeOptions } from '../bridge/serve-inference.js';

/** Values of the command line. */
export interface ServeArguments {
  port?: string | undefined;
  config?: string | undefined;
  chromium?: string | undefined;
}

/**
 * Serves until the process is told to end.
 * @throws Error that names the argument
 */
export async function serve({ port = '8080', config, chromium }: ServeArguments): Promise<void> {
  if (!/^\d{1,5}$/.test(port)) throw new Error('--port must be a number.');
  const options = config === undefined ? {} : (JSON.parse(readFileSync(config, 'utf8')) as ServeOptions);
  const { serveInference } = await import('../bridge/serve-inference.js');
  const server = await serveInference({
    ...options,
    port: Number(port),
    ...(chromium !== undefined && { launch: { executablePath: chromium } }),
  });
  process.stdout.write(`inpage: serving ${server.baseURL}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
}
