/** A choice of a few, side by side: radio buttons that look like one control. */

interface SegmentedProps<Value extends string> {
  label: string;
  /** Else only assistive technology has it. */
  showsLabel?: boolean;
  /** Value and title of each choice. */
  choices: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}

export function Segmented<Value extends string>({
  label,
  showsLabel,
  choices,
  value,
  onChange,
}: SegmentedProps<Value>) {
  return (
    <fieldset class="segmented">
      <legend>{label}</legend>
      {showsLabel ? (
        <span class="shown-label" aria-hidden="true">
          {label}
        </span>
      ) : null}
      {choices.map(([choice, title]) => (
        <label key={choice} class={choice === value ? 'chosen' : ''}>
          <input type="radio" name={label} checked={choice === value} onChange={() => onChange(choice)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
