/** A model's files without the model. @module */
import { loadFailure } from '../load-failure.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { chatTemplatesOf, type ChatTemplateField } from '../../prompt/chat-templates.js';
import { fetchAll } from '../../../store/open-model-files.js';
import { type ChosenFiles, chooseFiles } from './model-source.js';
import { wantedFiles } from './wanted-files.js';

/** Brings into the store what a load on this device would ask for. @throws InferenceError */
export async function fetchFiles(entry: ModelEntry, options: LoadOptions): Promise<void> {
  let chosen: ChosenFiles | undefined;
  try {
    chosen = await chooseFiles(entry, options);
    const { files, device, dtype, graphs } = chosen;
    const config: unknown = await (await files?.read('config.json'))?.json();
    if (!files || config === undefined) throw new Error('The model has no `config.json`.');
    await fetchAll(files, wantedFiles({ task: entry.task, device, dtype, graphs, config }));
    if (entry.task !== 'chat') return;
    const tokenizer = (await (await files.read('tokenizer_config.json'))?.json()) as
      | { chat_template?: ChatTemplateField }
      | undefined;
    // Newer repositories have the chat template in a file of its own.
    if (chatTemplatesOf(tokenizer?.chat_template).chatTemplate === undefined) await files.find('chat_template.jinja');
  } catch (thrown) {
    throw loadFailure(thrown, entry, options.signal, chosen?.fileFailure(thrown));
  }
}
