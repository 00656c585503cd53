/** `document.modelContext` (WebMCP) as browsers and its polyfill have it. @module */

/** A tool that the page declares. */
export interface DeclaredTool {
  name: string;
  title?: string;
  description: string;
  /** A text of JSON in the first browsers. */
  inputSchema?: object | string;
  origin?: string;
  window?: unknown;
  annotations?: { readOnlyHint?: boolean };
}

export interface ModelContext {
  getTools(options?: { fromOrigins: readonly string[] }): Promise<DeclaredTool[]>;
  executeTool(tool: DeclaredTool, input: unknown, options?: { signal: AbortSignal }): Promise<unknown>;
}

/** Undefined where the browser has none. */
export function modelContext(): ModelContext | undefined {
  const { modelContext: context } = (globalThis.document ?? {}) as { modelContext?: ModelContext };
  return typeof context?.getTools === 'function' ? context : undefined;
}

/** Those of the page, and those of the origins that are named. */
export async function declaredTools(context: ModelContext, origins: readonly string[]): Promise<DeclaredTool[]> {
  const tools = await (origins.length === 0 ? context.getTools() : context.getTools({ fromOrigins: origins }));
  return tools.filter((tool) => isOwn(tool) || origins.includes(tool.origin!));
}

/** Whether a tool is the page's own. */
export function isOwn({ origin }: DeclaredTool): boolean {
  return origin === undefined || origin === globalThis.location?.origin;
}

const OPENING = '[';

/**
 * What `executeTool` takes: an object, or a text of JSON. Half a text is refused by both before the tool runs, and only who
 * wants an object calls it a wrong type.
 */
export async function findInputForm(context: ModelContext, tool: DeclaredTool): Promise<'object' | 'text'> {
  try {
    await context.executeTool(tool, OPENING);
  } catch (thrown) {
    if (thrown instanceof TypeError) return 'object';
  }
  return 'text';
}
