/** The catalog, what is kept of it, and where to add from. */
import { BrowserModel } from './browser-model.js';
import { DiskModel } from './disk-model.js';
import { HubSearch } from './hub-search.js';
import { ModelPicker } from './model-picker.js';
import { StoredResponses } from './stored-responses.js';
import { WebLlmList } from './web-llm-list.js';

export function ModelsPanel() {
  return (
    <div class="tool models">
      <h2>Models of this page</h2>
      <ModelPicker />
      <BrowserModel />
      <DiskModel />
      <StoredResponses />
      <HubSearch />
      <WebLlmList />
    </div>
  );
}
