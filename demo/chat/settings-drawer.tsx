/** The drawer above the composer: how the next questions are asked. */
import { change, type ChatSettings, NO_SETTINGS, settings, settingsCount } from './settings.js';

export function SettingsDrawer() {
  return (
    <div class="drawer" id="chat-settings" role="group" aria-label="Settings">
      <label class="field wide">
        System prompt
        <textarea
          rows={2}
          value={settings.value.system}
          placeholder="You are …"
          onInput={(event) => change({ system: event.currentTarget.value })}
        />
      </label>
      <NumberField name="temperature" label="Temperature" most={2} step={0.1} />
      <NumberField name="topP" label="Top p" most={1} step={0.05} />
      <NumberField name="maxTokens" label="Max tokens" most={32_768} step={1} />
      <button
        type="button"
        class="small"
        disabled={settingsCount.value === 0}
        onClick={() => (settings.value = NO_SETTINGS)}
      >
        Clear all
      </button>
    </div>
  );
}

interface NumberFieldProps {
  name: keyof ChatSettings;
  label: string;
  most: number;
  step: number;
}

function NumberField({ name, label, most, step }: NumberFieldProps) {
  return (
    <label class="field">
      {label}
      <input
        type="number"
        min={step === 1 ? 1 : 0}
        max={most}
        step={step}
        value={settings.value[name]}
        placeholder="default"
        onInput={(event) => change({ [name]: event.currentTarget.value })}
      />
    </label>
  );
}
