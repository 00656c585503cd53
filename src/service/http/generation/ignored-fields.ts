/** Fields of other services that demand something of the answer and are not honored here. @module */
import { readField } from '../validation/read-field.js';

/** By their names on the wire. All other unknown fields are ignored without a word. */
const DEMANDING = [
  'best_of',
  'suffix',
  'guided_json',
  'guided_choice',
  'guided_regex',
  'guided_grammar',
  'structured_outputs',
];

/** The names of such fields in a body, in the order of the table. */
export function ignoredFields(json: Readonly<Record<string, unknown>>): string[] {
  const named = DEMANDING.filter((name) => demands(name, json[name]));
  const formats = [json['response_format'], readField(json['text'], 'format')];
  const hasSchema = formats.some(
    (format) => readField(format, 'type') === 'json_object' && readField(format, 'schema') != null,
  );
  return hasSchema ? [...named, 'schema'] : named;
}

/** The best of one answer is that answer, and nothing is filled in before nothing. */
function demands(name: string, value: unknown): boolean {
  return value != null && value !== '' && !(name === 'best_of' && value === 1);
}
