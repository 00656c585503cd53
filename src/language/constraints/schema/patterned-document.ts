/** A schema's document with its patterns compiled: apart from the check of its structure, which needs none of that. @module */
import { Patterns } from '../../../core/schema/automaton/pattern-matcher.js';
import type { WorkBudget } from '../../../core/schema/limits/work-budget.js';
import { readSchemaDocument, type SchemaDocument } from '../../../core/schema/schema-document.js';

export interface PatternedDocument extends SchemaDocument {
  patterns: Patterns;
}

/** As {@link readSchemaDocument}. */
export function readPatternedDocument(schema: unknown, work?: WorkBudget): PatternedDocument {
  const document = readSchemaDocument(schema, work);
  return { ...document, patterns: new Patterns(document.work) };
}
