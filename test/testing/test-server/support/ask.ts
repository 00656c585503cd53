/** Requests to a test server, and what came back. */

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; undefined when it is no JSON. Tests reach into it freely. */
  // oxlint-disable-next-line typescript/no-explicit-any
  json: any;
}

export async function send(url: string, body?: unknown, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...init,
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A chat request with one message. */
export function chatBody(content: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'gpt-5', messages: [{ role: 'user', content }], ...more };
}

export function chat(
  server: { baseURL: string },
  content: string,
  more: Record<string, unknown> = {},
): Promise<Answer> {
  return send(`${server.baseURL}/chat/completions`, chatBody(content, more));
}

/** What a chat completion says. */
export async function said(
  server: { baseURL: string },
  content: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { json, text } = await chat(server, content, more);
  return json?.choices?.[0]?.message?.content ?? text;
}
