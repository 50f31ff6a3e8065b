import { TARGET_NAMES } from '../../../alignment/named-target.ts'

interface TargetChoiceProps {
  readonly chosen: readonly string[]
  onChange(targets: readonly string[]): void
}

/** The dialects and client protocols that have a column. */
export function TargetChoice({ chosen, onChange }: TargetChoiceProps) {
  return (
    <fieldset class="compare-targets">
      <legend>Targets</legend>
      {TARGET_NAMES.map((name) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(TARGET_NAMES.filter((other) => (other === name ? checked : chosen.includes(other))))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
