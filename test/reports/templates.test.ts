/** Expressions in chat templates, and what Jinja2 writes for them. */
import { describe, expect, it } from 'vitest';
import { ChatTemplate } from '../../src/language/prompt/chat-template.js';
import reports from './templates.json' with { type: 'json' };

/** Undefined: it raises. */
function rendered(template: string): string | undefined {
  try {
    return new ChatTemplate(template).render(reports.vars);
  } catch {
    return undefined;
  }
}

describe('reported template expressions', () => {
  it.each(reports.cases as { id: string; template: string; gives?: string; raises?: boolean }[])(
    '$id: $template',
    ({ template, gives }) => {
      expect(rendered(template)).toBe(gives);
    },
  );
});
