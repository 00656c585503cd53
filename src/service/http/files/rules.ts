/** What the table of endpoints and the operations on files both know. @module */

/** What a file may be for. It changes nothing here. */
export const PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** How files are listed. */
export const FILES_PAGE = { maxLimit: 10_000, limit: 10_000 };
