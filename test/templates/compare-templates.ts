/**
 * Compares prompts with those of Python's Jinja2: `npm run outside -- templates`. `CHAT_TEMPLATES` names a folder with published chat
 * templates (`*.jinja`); Python needs the package `jinja2`. `--list` prints every prompt that differs.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GenerationRequest } from '../../src/core/request/generation-request.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { ChatTemplate } from '../../src/language/prompt/chat-template.js';
import { detectReasoningFormat, detectToolFormat } from '../../src/language/prompt/detect-formats.js';
import { isWritten } from '../../src/language/prompt/written-words.js';
import { renderPrompt } from '../../src/language/prompt/render-prompt.js';
import type { TextTokenizer } from '../../src/language/prompt/text-tokenizer.js';
import { type Conversation, CONVERSATIONS } from './conversations.js';
import { FORM_TOKENS, type Form, formsOf } from './jinja-forms.js';

type Rendering = { text: string } | { error: string };

/** What became of one prompt. */
type Verdict = 'equal' | 'fuller' | 'differs' | 'worse' | 'refused';

const PLACEHOLDER = '<inpage-image>';

function main(): void {
  const folder = process.env['CHAT_TEMPLATES'];
  if (folder === undefined || folder === '') {
    console.warn(
      'SKIPPED: `CHAT_TEMPLATES` names no folder with chat templates (*.jinja); see demo/docs/internals-tests.md.',
    );
    return;
  }
  const templates = readdirSync(folder)
    .filter((file) => file.endsWith('.jinja'))
    .map((file) => ({ file, source: readFileSync(join(folder, file), 'utf8') }));
  const forms = CONVERSATIONS.map(formsOf);
  const flat = forms.flat();
  const python = renderWithPython(
    templates.map(({ source }) => ({ source, conversations: flat.map(({ variables }) => variables) })),
  );
  const rows: string[] = [];
  const engine = { equal: 0, both: 0, lenient: 0, wrong: 0 };
  const counts: Record<Verdict, number> = { equal: 0, fuller: 0, differs: 0, worse: 0, refused: 0 };
  const byConversation = new Map<string, Record<Verdict, number>>();
  for (const [index, { file, source }] of templates.entries()) {
    const renderings = python[index]!;
    for (const [place, form] of flat.entries()) {
      const outcome = engineOutcome(source, form, renderings[place]!);
      engine[outcome.kind] += 1;
      if (outcome.kind === 'wrong' || (outcome.kind === 'lenient' && process.argv.includes('--lenient')))
        rows.push(`ENGINE ${outcome.kind} ${file} | ${form.name}: ${outcome.why}`);
    }
    let from = 0;
    for (const [place, conversation] of CONVERSATIONS.entries()) {
      const own = renderings.slice(from, from + forms[place]!.length);
      from += forms[place]!.length;
      const { verdict, why } = judge(source, conversation, own);
      counts[verdict] += 1;
      const row = byConversation.get(conversation.name) ?? { equal: 0, fuller: 0, differs: 0, worse: 0, refused: 0 };
      row[verdict] += 1;
      byConversation.set(conversation.name, row);
      if (verdict === 'differs' || verdict === 'worse' || (verdict === 'refused' && process.argv.includes('--list')))
        rows.push(`${verdict.toUpperCase()} ${file} | ${conversation.name}: ${why}`);
    }
  }
  for (const row of rows) console.warn(row);
  console.warn(`\n${templates.length} templates. Each form of each conversation, rendered as it is:`);
  console.warn(
    `${engine.equal} texts equal, ${engine.both} refused by both, ${engine.lenient} refused by Python alone, ${engine.wrong} wrong`,
  );
  console.warn(
    '\n| conversation | equal | fuller than Python’s | differs | worse | refused |\n| --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, row] of [...byConversation, ['all', counts] as const])
    console.warn(`| ${name} | ${row.equal} | ${row.fuller} | ${row.differs} | ${row.worse} | ${row.refused} |`);
  process.exitCode = engine.wrong + counts.worse > 0 ? 1 : 0;
}

function renderWithPython(jobs: readonly unknown[]): Rendering[][] {
  const script = join(import.meta.dirname, 'render-jinja.py');
  const output = execFileSync('python3', [script], { input: JSON.stringify(jobs), maxBuffer: 2 ** 31 - 1 });
  return JSON.parse(output.toString()) as Rendering[][];
}

function engineOutcome(
  source: string,
  { variables }: Form,
  python: Rendering,
): { kind: 'equal' | 'both' | 'lenient' | 'wrong'; why: string } {
  let own: Rendering;
  try {
    own = { text: new ChatTemplate(source).render(variables) };
  } catch (error) {
    own = { error: String(error) };
  }
  if ('text' in own && 'text' in python)
    return withoutTime(own.text) === withoutTime(python.text)
      ? { kind: 'equal', why: '' }
      : { kind: 'wrong', why: difference(own.text, python.text) };
  if ('text' in own) return { kind: 'lenient', why: 'error' in python ? python.error : '' };
  return 'text' in python ? { kind: 'wrong', why: own.error } : { kind: 'both', why: '' };
}

/** The service's prompt beside those of Python's forms that hold every word. */
function judge(
  source: string,
  conversation: Conversation,
  python: readonly Rendering[],
): { verdict: Verdict; why: string } {
  const holdsAll = (text: string): boolean => conversation.words.every((word) => isWritten(word, text));
  const images = conversation.messages.flatMap(({ content }) => content).filter(({ type }) => type === 'image').length;
  const good = python.flatMap((rendering) =>
    'text' in rendering && holdsAll(rendering.text) && (images === 0 || imageMark(source, rendering.text) !== undefined)
      ? withoutTime(rendering.text)
      : [],
  );
  let own: string;
  try {
    own = withoutTime(servicePrompt(source, conversation, images, good[0] ?? ''));
  } catch (error) {
    return { verdict: good.length > 0 ? 'worse' : 'refused', why: String(error) };
  }
  if (good.includes(own)) return { verdict: 'equal', why: '' };
  if (!holdsAll(own)) {
    const missing = conversation.words.filter((word) => !own.includes(word)).join(', ');
    return { verdict: 'worse', why: `without ${missing}: ${JSON.stringify(own.slice(-200))}` };
  }
  if (good.length === 0) return { verdict: 'fuller', why: '' };
  return { verdict: 'differs', why: difference(own, good[0]!) };
}

function servicePrompt(source: string, conversation: Conversation, images: number, python: string): string {
  const added = [...new Set(source.match(/<[|｜]?[^\s<>'"{}()]{1,60}[|｜]?>|\[\/?[A-Z_]{3,}\]/g))];
  const request: GenerationRequest = {
    ...plainGenerationRequest('m', { type: 'chat', messages: conversation.messages }),
    tools: conversation.tools ?? [],
  };
  const tokenizer = tokenizerWith(source, [...added, '<think>', '</think>']);
  const formats = { toolFormat: detectToolFormat(source), reasoningFormat: detectReasoningFormat(source) };
  // What stands in a prompt for an image is what the template writes for it.
  const placeholder = (images > 0 ? imageMark(source, python) : undefined) ?? PLACEHOLDER;
  const all = Array.from({ length: images }, (_, place) => ({ text: placeholder, tokenCount: 1, key: -1 - place }));
  const { tokens } = renderPrompt(request, tokenizer, formats, { placeholder, all });
  const bytes = tokens.flatMap((token) => [...tokenizer.bytesOf(token)]);
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** What the template writes for the one image: a mark of its source that stands once in the prompt; undefined: none. */
function imageMark(source: string, python: string): string | undefined {
  const marks =
    source.match(/<[^\s<>'"{}]*(?:image|img|IMG|vision_pad|media_pad|patch)[^\s<>'"{}]*>|\[IMG\]|<\|image_pad\|>/g) ??
    [];
  return (
    marks.find((mark) => python.split(mark).length === 2 && /pad|^<image>$|IMG\]|image_soft|\|image\|/.test(mark)) ??
    marks.find((mark) => python.split(mark).length === 2)
  );
}

function tokenizerWith(chatTemplate: string, added: readonly string[]): TextTokenizer {
  const encoder = new TextEncoder();
  const texts = [...new Set(added)];
  return {
    vocabularySize: 256 + texts.length,
    endTokens: new Set(),
    addedTokens: new Map(texts.map((text, place) => [text, 256 + place])),
    encodeText: (text) => [...encoder.encode(text)],
    bytesOf: (token) => (token < 256 ? Uint8Array.of(token) : encoder.encode(texts[token - 256])),
    chatTemplate,
    templateVariables: FORM_TOKENS,
    prefixTokens: [],
  };
}

/** Two renderings are seconds apart. */
function withoutTime(text: string): string {
  return text.replaceAll(/\d\d:\d\d:\d\d/g, 'hh:mm:ss');
}

function difference(own: string, python: string): string {
  let at = 0;
  while (at < own.length && own[at] === python[at]) at += 1;
  const part = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 60));
  return `at ${at}: ${part(own)} for Python's ${part(python)}`;
}

main();
