import { useEffect, useRef, useState } from 'preact/hooks'
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
  const menu = useRef<HTMLDetailsElement>(null)
  const [filter, setFilter] = useState('')
  useEffect(() => {
    const close = ({ target }: Event): void => {
      if (menu.current?.open === true && !menu.current.contains(target as Node)) menu.current.open = false
    }
    addEventListener('pointerdown', close)
    return () => removeEventListener('pointerdown', close)
  }, [])
  const closeByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || menu.current === null) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  const found = known.filter(({ vendor, wire }) => `${vendor} ${wire}`.includes(filter.trim().toLowerCase()))
  const groups = [
    { title: 'Vendors of this server', targets: found.filter(({ isConfigured }) => isConfigured) },
    { title: 'Other vendors', targets: found.filter(({ isConfigured }) => !isConfigured) },
  ]
  return (
    <details class="explain-menu" ref={menu} onKeyDown={closeByKey}>
      <summary>
        Vendors ({ids.size} of {known.length})
      </summary>
      <div class="panel">
        <input
          type="search"
          aria-label="Filter of the vendors"
          placeholder="Filter"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        {found.length === 0 && <p class="soft">No provider or wire has this name.</p>}
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
