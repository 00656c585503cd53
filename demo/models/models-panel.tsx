/** The catalog, what is kept of it, and where to add from. */
import { chatModel, models } from '../inference.js';
import { BrowserModel } from './browser-model.js';
import { DiskModel } from './disk-model.js';
import { ModelCard } from './model-card.js';
import { HubSearch } from './hub-search.js';
import { RecommendedList } from './recommended-list.js';
import { StoredList } from './stored-list.js';
import { StoredResponses } from './stored-responses.js';
import { WebLlmList } from './web-llm-list.js';

export function ModelsPanel() {
  return (
    <div class="tool models">
      <h2>Models of this page</h2>
      <ul class="catalog">
        {models.value.map((model) => (
          <ModelCard key={model.id} model={model} />
        ))}
      </ul>
      <BrowserModel />
      <DiskModel />
      <StoredList />
      <StoredResponses />
      <RecommendedList
        summary="Add a recommended model"
        onReady={({ id, task }) => {
          if (task === 'chat') chatModel.value = id;
        }}
      />
      <HubSearch />
      <WebLlmList />
    </div>
  );
}
