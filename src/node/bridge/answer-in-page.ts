/**
 * The bridge's end inside the page. Playwright runs these functions inside the page, so they must not use anything else
 * from this module. What crosses is
 * JSON, because that is what a debugging protocol carries.
 * @module
 */
import type { HostWindow } from '../static-files/host-files.js';

/** A request on its way into the page. */
export interface BridgedRequest {
  id: number;
  method: string;
  /** Absolute. */
  url: string;
  headers: [string, string][];
  /** Where the page fetches the body, if it has one; a number: only the length of a body that is too large to read. */
  body: string | number | undefined;
}

/** A part of the answer on its way out. */
export type BridgedAnswer =
  | { id: number; type: 'head'; status: number; headers: [string, string][] }
  /** Base64. */
  | { id: number; type: 'chunk'; bytes: string };

type BridgeWindow = HostWindow & {
  /** Out of the page; resolves when the client wants more. */
  inpageBridge(answer: BridgedAnswer): Promise<void>;
  /** Requests under way. */
  inpageCalls?: Map<number, AbortController>;
};

/** Answers one request through `inference.fetch`; resolves at the end of its body, rejects when it breaks off. */
export async function answerInPage({ id, method, url, headers, body }: BridgedRequest): Promise<void> {
  const page = window as unknown as BridgeWindow;
  const calls = (page.inpageCalls ??= new Map<number, AbortController>());
  const controller = new AbortController();
  calls.set(id, controller);
  try {
    const { signal } = controller;
    let bytes: BodyInit | null = null;
    if (typeof body === 'string') bytes = await (await page.fetch(body, { signal })).arrayBuffer();
    // The service refuses a body of this length in the words of its dialect.
    else if (body !== undefined) bytes = new Uint8Array(body);
    const response = await page.inference.fetch(url, { method, headers, body: bytes, signal });
    await page.inpageBridge({ id, type: 'head', status: response.status, headers: [...response.headers] });
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
      let letters = '';
      for (const byte of piece.value) letters += String.fromCharCode(byte);
      await page.inpageBridge({ id, type: 'chunk', bytes: btoa(letters) });
    }
  } finally {
    calls.delete(id);
  }
}

/** Cancels a request; one that is over is left alone. */
export function cancelInPage(id: number): void {
  (window as unknown as BridgeWindow).inpageCalls?.get(id)?.abort();
}
