/** The catalog, what is loaded, and WebLLM's models with what they need before anything is downloaded. */
import { inference, models, statusVersion } from '../inference.js';

export function ModelsPanel() {
  void statusVersion.value;
  const service = inference.value;
  const status = new Map(service?.status().map((model) => [model.id, model]));
  const act = (action: 'load' | 'unload', id: string): void => {
    void service?.[action](id).then(() => statusVersion.value++);
  };
  return (
    <div class="models">
      <h2>Models of this page</h2>
      <table>
        <thead>
          <tr>
            <th>Model</th>
            <th>Task</th>
            <th>Engine</th>
            <th>State</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {models.value.map((model) => {
            const state = status.get(model.id)?.state ?? 'absent';
            const loaded = state === 'ready' || state === 'busy';
            return (
              <tr key={model.id}>
                <td>{model.id}</td>
                <td>{model.task}</td>
                <td>{model.backend}</td>
                <td>{state}</td>
                <td>
                  <button
                    type="button"
                    disabled={!service || state === 'loading'}
                    onClick={() => act(loaded ? 'unload' : 'load', model.id)}
                  >
                    {loaded ? 'Unload' : 'Load'}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
