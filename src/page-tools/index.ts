/**
 * `inpage/page-tools`: the tools that a page declares by WebMCP (`document.modelContext`), for models of any endpoint.
 * @module
 * @example
 * const tools = pageTools({ consent: ({ title }) => confirm(`Run ${title}?`) });
 * const answer = await client.chat.completions.create({ model, messages, tools: await tools.chat() });
 * messages.push(answer.choices[0].message, ...(await tools.run(answer)));
 */
export { pageTools } from './page-tools.js';
export type { PageTool, PageTools, PageToolsOptions, ToolConsent } from './page-tools.js';
