/** What of a chat model is text: its tokenizer, its chat templates, and how images are written. @module */
import { AutoProcessor, type PreTrainedTokenizer, type Processor } from '@huggingface/transformers';
import { isInferenceError } from '../../../core/errors/inference-error.js';
import { checkTemplates } from '../../../language/prompt/template-traits.js';
import {
  type ChatTemplateField,
  type ChatTemplates,
  chatTemplatesOf,
} from '../../../language/prompt/text-tokenizer.js';
import { checkPreprocessor } from '../repository/check-preprocessor.js';
import type { ModelSource } from '../repository/model-source.js';
import { loadTokenizer, mendPretrained } from '../repository/pretrained-tokenizer.js';
import { CHAT_TEMPLATES, isVisionModel, TOOL_TEMPLATE } from '../repository/repository-files.js';
import { VisionProcessor } from '../vision/vision-processor.js';

export interface ModelTexts {
  pretrained: PreTrainedTokenizer;
  templates: ChatTemplates;
  /** Undefined: the model does not accept images. */
  processor: VisionProcessor | undefined;
}

/**
 * Reads tokenizer, chat templates and image processor. A model with a vision encoder that cannot be given images here runs
 * for text, and says why.
 */
export async function readTexts(source: ModelSource): Promise<ModelTexts> {
  const { reader, kind, refusal } = isVisionModel(source.graphs) ? await openProcessor(source) : NO_PROCESSOR;
  const pretrained = reader?.tokenizer ? mendPretrained(reader.tokenizer) : await loadTokenizer(source.id);
  const imageProcessor = reader && VisionProcessor.of(reader, kind);
  const templates = await findChatTemplates(pretrained, source, imageProcessor?.placeholder);
  checkTemplates(templates);
  const processor = imageProcessor?.isWrittenBy(templates.chatTemplate) ? imageProcessor : undefined;
  const reasons = [
    refusal,
    reader && !imageProcessor && `its processor \`${kind}\` is not supported here`,
    imageProcessor && !processor && `its chat template has no place for images (\`${imageProcessor.placeholder}\`)`,
  ];
  const reason = reasons.find((each) => typeof each === 'string');
  if (reason) source.warn(`${reason}, so it accepts text only.`);
  return { pretrained, templates, processor };
}

/** A repository's processor. */
interface OpenedProcessor {
  /** `processor_class` of its file. */
  kind: string;
  reader?: Processor;
  /** Why there is none; absent: there is, or the model does not see. */
  refusal?: string;
}

const NO_PROCESSOR: OpenedProcessor = { kind: '' };

async function openProcessor(source: ModelSource): Promise<OpenedProcessor> {
  const config = (await source.readJson('preprocessor_config.json')) as { processor_class?: unknown } | undefined;
  const kind = String(config?.processor_class);
  if (!config) return { kind, refusal: 'it has no `preprocessor_config.json`' };
  checkPreprocessor(source.id, config);
  try {
    return { kind, reader: await AutoProcessor.from_pretrained(source.id) };
  } catch (thrown) {
    const failure = source.fileFailure(thrown);
    // A network that fails now may work the next time.
    if (isInferenceError(thrown) || (failure && failure.httpStatus !== 404)) throw thrown;
    const message = thrown instanceof Error ? thrown.message.split('\n', 1)[0]! : String(thrown);
    return { kind, refusal: `its image processor cannot be used (${message})` };
  }
}

/**
 * The templates of the first place that has one, in the order of Hugging Face's library: `chat_template.jinja` with the one
 * for tools in a folder beside it, then `tokenizer_config.json`. Models that see have theirs in `chat_template.json`, and
 * often one for text beside it.
 * @param imageToken what templates for images write; absent for models of text
 */
async function findChatTemplates(
  pretrained: PreTrainedTokenizer,
  source: ModelSource,
  imageToken: string | undefined,
): Promise<ChatTemplates> {
  const [jinja, json] = CHAT_TEMPLATES;
  const [newer, older] = await Promise.all([source.readText(jinja), source.readJson(json)]);
  const forTools = newer === undefined ? undefined : await source.readText(TOOL_TEMPLATE);
  const ownFile = forTools === undefined ? newer : { default: newer!, tool_use: forTools };
  const own = chatTemplatesOf((pretrained as unknown as { chat_template: ChatTemplateField }).chat_template);
  const ofProcessor = chatTemplatesOf((older as { chat_template?: ChatTemplateField } | undefined)?.chat_template);
  const origins = [chatTemplatesOf(ownFile), ...(imageToken === undefined ? [own, ofProcessor] : [ofProcessor, own])];
  const found = origins.filter(({ chatTemplate }) => chatTemplate !== undefined);
  const imageProcessor = found.find(
    ({ chatTemplate }) => imageToken !== undefined && chatTemplate!.includes(imageToken),
  );
  return imageProcessor ?? found[0] ?? own;
}
