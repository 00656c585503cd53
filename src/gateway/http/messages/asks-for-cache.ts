/** Prompt caching as this dialect knows it: asked for, block by block. @module */

/**
 * True when the body itself, a system block, a tool or a content block carries `cache_control`. Only then does the
 * usage tell cached tokens apart; prefixes are reused all the same.
 */
export function asksForCache(body: Record<string, unknown>): boolean {
  const blocks = itemsOf(body['messages']).flatMap((message) => itemsOf(field(message, 'content')));
  return [body, ...itemsOf(body['system']), ...itemsOf(body['tools']), ...blocks].some(
    (block) => field(block, 'cache_control') != null,
  );
}

function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
