/** Web pages that can ask for the models of an extension, on as many origins as a test needs. @module */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { type OpenExtension, type Tell, webPageOf } from './open-extension.js';

/** What the consent page has. */
interface ConsentPage {
  request?: { origin: string; allow(): Promise<void>; deny(): Promise<void> };
}

/** The server. */
export interface WebServer {
  /** `http://<host>:<port>`. @param host any that leads to this device */
  originAt(host: string): string;
  close(): void;
}

/**
 * Serves a page whose policy forbids all but its own script, at every path; `/frames?…` has a frame with that address, and
 * `/sandbox?…` a sandboxed one.
 */
export async function serveWebPages({ folder }: Pick<OpenExtension, 'folder'>): Promise<WebServer> {
  const script = readFileSync(join(folder, 'web.js'));
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/web.js') return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    const [path, query] = url.split('?');
    const framed = query && decodeURIComponent(query);
    const frame = framed
      ? `<iframe src="${framed}" ${path === '/sandbox' ? 'sandbox="allow-scripts"' : ''}></iframe>`
      : '';
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-security-policy': `default-src 'none'; script-src 'self'${framed ? '; frame-src *' : ''}`,
    });
    response.end(`<!doctype html><title>Page</title><script src="/web.js"></script>${frame}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { originAt: (host) => `http://${host}:${port}`, close: () => void server.close() };
}

/** A new tab with a page of the server. */
export async function openWebPage(extension: OpenExtension, url: string): Promise<{ page: Page; tell: Tell }> {
  const page = await extension.context.newPage();
  await page.goto(url);
  return { page, tell: webPageOf(page) };
}

/** All consent pages that are open. */
export function consentPages({ context }: OpenExtension): Page[] {
  return context.pages().filter((page) => page.url().endsWith('/consent.html'));
}

/** The consent page that asks about an origin. */
export async function consentPageFor(extension: OpenExtension, origin: string): Promise<Page> {
  let found: Page | undefined;
  const asks = async (page: Page): Promise<boolean> =>
    (await page.evaluate(() => (globalThis as ConsentPage).request?.origin).catch(() => undefined)) === origin;
  await expect
    .poll(
      async () => {
        for (const page of consentPages(extension)) if (await asks(page)) found = page;
        return found !== undefined;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return found!;
}

/** Answers it, as a person does. */
export async function decide(extension: OpenExtension, origin: string, decision: 'allow' | 'deny'): Promise<Page> {
  const page = await consentPageFor(extension, origin);
  await page.evaluate((name) => (globalThis as ConsentPage).request![name](), decision);
  return page;
}
