/** A conversation's newest turn: everything before it has been on the wire already. */

/** Where the dialects have their turns. */
const LISTS = ['messages', 'input'];

/** @returns the body without earlier turns, and how many those are */
export function newestTurn(body: Record<string, unknown>): { shown: Record<string, unknown>; left: number } {
  for (const name of LISTS) {
    const turns = body[name];
    if (!Array.isArray(turns) || turns.length < 2 || !turns.every(isTurn)) continue;
    const first = turns.findLastIndex(({ role }) => role === 'user');
    if (first > 0) return { shown: { ...body, [name]: turns.slice(first) }, left: first };
  }
  return { shown: body, left: 0 };
}

function isTurn(value: unknown): value is { role?: unknown } {
  return typeof value === 'object' && value !== null;
}
