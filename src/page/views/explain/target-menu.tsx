import type { ExplainTarget, KnownTarget } from '../../../page-api/explanations.ts'
import { targetId } from './summary-table.tsx'

interface MenuProps {
  readonly known: readonly KnownTarget[]
  readonly chosen: readonly ExplainTarget[]
  readonly onChoose: (chosen: readonly ExplainTarget[]) => void
}

/** A menu with all wires of vendors: those of the server first, then those of the table. */
export function TargetMenu({ known, chosen, onChoose }: MenuProps) {
  const ids = new Set(chosen.map(targetId))
  const toggle = (target: KnownTarget): void =>
    onChoose(known.filter((one) => (targetId(one) === targetId(target)) !== ids.has(targetId(one))))
  const groups = [
    { title: 'Vendors of this server', targets: known.filter(({ isConfigured }) => isConfigured) },
    { title: 'Other vendors', targets: known.filter(({ isConfigured }) => !isConfigured) },
  ]
  return (
    <details class="explain-menu">
      <summary>
        Vendors ({ids.size} of {known.length})
      </summary>
      <div class="panel">
        {groups.map(
          ({ title, targets }) =>
            targets.length > 0 && (
              <fieldset key={title}>
                <legend>{title}</legend>
                {targets.map((target) => (
                  <label key={targetId(target)}>
                    <input type="checkbox" checked={ids.has(targetId(target))} onChange={() => toggle(target)} />{' '}
                    {target.vendor} <span class="soft">{target.wire}</span>
                  </label>
                ))}
              </fieldset>
            ),
        )}
      </div>
    </details>
  )
}
