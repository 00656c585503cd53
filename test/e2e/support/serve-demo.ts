/** Serves the built demo for the e2e project, remembers every request, and tells the tests where it is. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeVisionModels, VISION_MODELS } from '../../vision/make-vision-models.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Origins of the demo, one for each worker of vitest; `GET /__log` answers the paths asked for there so far, `DELETE
     * /__log` forgets them.
     */
    demoOrigins: readonly string[];
  }
}

const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.wav': 'audio/wav',
};

/**
 * What the documents ask of a production server: isolation, and a policy without eval and with Trusted Types, of which `app` is the
 * tests' own. 127.0.0.1 is an upstream service.
 */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
const POLICY = {
  'Content-Security-Policy':
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self' blob: data: http://127.0.0.1:*; media-src 'self' blob:; require-trusted-types-for 'script'; trusted-types inpage playground dompurify app",
};

/**
 * Starts the server on a free port; returns its origin and the way to stop it.
 * @param strict send the content security policy; the bare libraries of the benchmark do not work under it
 * @param isolated send what makes pages cross-origin isolated
 * @param more folders by the path that they are served below
 * @param etags let the browser keep what it got, and ask whether it is still right, as static hosts do; `bare`: a 304 comes
 * without the headers of isolation
 */
export async function serveFolder(
  root: string,
  strict = true,
  isolated = true,
  more: Readonly<Record<string, string>> = {},
  etags: boolean | 'bare' = false,
): Promise<{ origin: string; sent(): number; close(): Promise<void> }> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const headers = { ...(isolated && ISOLATION), ...(strict && POLICY) };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/__log') {
      if (request.method === 'DELETE') log.length = 0;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(log));
      return;
    }
    log.push(`${request.method} ${path}`);
    const [prefix = '', folder = root] = Object.entries(more).find(([each]) => path.startsWith(each)) ?? [];
    const below = normalize(decodeURIComponent(path.slice(prefix.length)));
    const file = join(folder, below, path.endsWith('/') ? 'index.html' : '');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end('Not found');
      return;
    }
    const { size, mtimeMs } = statSync(file);
    if (etags) {
      const etag = `"${size.toString(36)}-${mtimeMs.toString(36)}"`;
      response.setHeader('etag', etag).setHeader('cache-control', 'no-cache');
      if (request.headers['if-none-match'] === etag) {
        if (etags === 'bare') for (const name of Object.keys(headers)) response.removeHeader(name);
        response.writeHead(304).end();
        return;
      }
    }
    response.setHeader('content-type', MEDIA_TYPES[extname(file)] ?? 'application/octet-stream');
    response.setHeader('content-length', size);
    createReadStream(file).pipe(response);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    // `localhost` is a secure context, which Service Workers and WebGPU need.
    origin: `http://localhost:${port}`,
    // Bytes on the wire so far, heads of responses included.
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Vitest's global set-up of the e2e project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = join(import.meta.dirname, '../../../dist-demo');
  if (!existsSync(join(root, 'host.html'))) throw new Error('The demo is not built: run `npm run build` first.');
  await makeVisionModels();
  const more = { '/vision/': VISION_MODELS };
  const servers = await Promise.all(
    // Browser tests run beside, and their workers are counted too: nobody may share another file's log.
    Array.from({ length: 2 * project.config.maxWorkers }, () => serveFolder(root, true, true, more)),
  );
  project.provide(
    'demoOrigins',
    servers.map(({ origin }) => origin),
  );
  return async () => {
    await Promise.all(servers.map(({ close }) => close()));
  };
}
