// Lets Vitest find the jsdom that stands beside this file, and not beside Vitest.
import { register } from 'node:module';

const hook = `
  export const resolve = (name, context, next) =>
    next(name, name === 'jsdom' ? { ...context, parentURL: ${JSON.stringify(import.meta.url)} } : context);
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
