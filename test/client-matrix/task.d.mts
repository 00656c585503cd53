/** What the service needs of task.mjs. */
export const CHAT: string;
export function onceMore(client: string): string;
export const EMBEDDER: string;
export const LISTENER: string;
export const RANKER: string;
export const TEXT: string;
export const SPOKEN: string;
export const ANSWER: string;
export const OBJECT: { city: string; days: number };
export const OBJECT_TOOLS: readonly string[];
export const COMPLAINT: string;
export const WEIGHTS: Record<string, number>;
