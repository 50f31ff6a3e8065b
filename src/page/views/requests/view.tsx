import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RequestEntry } from '../../../page-api/request-entry.ts'
import { replaceParameters, useAddress } from '../../address.ts'
import type { PageServer } from '../../server.ts'
import { NEWEST_FIRST, type Order, sortEntries } from './columns.ts'
import { RequestDetails } from './details.tsx'
import { FILTER_STATES, hasWord, parseFilter, REQUEST_FILTERS, toggleWord } from './filter.ts'
import { RequestTable } from './table.tsx'
import { useRequests } from './use-requests.ts'
import './view.css'

/** The last requests of the server, as they begin, run and end. */
export function RequestsView({ server }: { readonly server: PageServer }) {
  const { parameters } = useAddress()
  const [filter, setFilter] = useState(parameters.get('filter') ?? '')
  const [order, setOrder] = useState<Order>(readOrder(parameters))
  const [open, setOpen] = useState(parameters.get('open'))
  const [current, setCurrent] = useState(open)
  const { entries, problem } = useRequests(server)
  const hasContent = useHasContent(server)
  const filterField = useRef<HTMLInputElement>(null)
  useFocusKey(filterField)
  // With what is shown, not after the next frame: a reload at any moment shows the same.
  useLayoutEffect(() => replaceParameters('requests', writeParameters(filter, order, open)), [filter, order, open])
  const shown = useMemo(
    () => (entries === null ? [] : sortEntries(entries.filter(parseFilter(filter)), order)),
    [entries, filter, order],
  )
  const opened = entries?.find(({ id }) => id === open)
  const close = (): void => {
    setOpen(null)
    document.querySelector<HTMLElement>('.requests-table tbody button[tabindex="0"]')?.focus()
  }
  useEscape(() => (open === null ? setFilter('') : close()))
  return (
    <section class="view requests" aria-labelledby="requests-title">
      <div class="requests-bar">
        <h1 id="requests-title">Requests</h1>
        <label class="hidden" for="requests-filter">
          Filter
        </label>
        <input
          id="requests-filter"
          ref={filterField}
          type="search"
          placeholder="Filter, such as vendor:groq is:failed"
          aria-describedby="requests-help"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <QuickFilters filter={filter} onFilter={setFilter} />
        <span role="status" class="requests-count">
          {entries === null ? '' : countText(shown, entries)}
        </span>
        <span id="requests-help" class="hidden">
          {`Fields: ${REQUEST_FILTERS.join(', ')}. States, after is: ${FILTER_STATES.join(', ')}.`}
        </span>
      </div>
      {problem !== null && (
        <p class="error" role="alert">
          {problem} The page tries again.
        </p>
      )}
      <div class={opened === undefined ? 'requests-panes' : 'requests-panes with-details'}>
        {entries === null ? null : shown.length === 0 ? (
          <Nothing isFiltered={entries.length > 0} onClear={() => setFilter('')} />
        ) : (
          <RequestTable
            entries={shown}
            order={order}
            open={open}
            current={current}
            onOrder={setOrder}
            onMove={setCurrent}
            onOpen={setOpen}
          />
        )}
        {opened !== undefined && <RequestDetails entry={opened} hasContent={hasContent} onClose={close} />}
      </div>
    </section>
  )
}

const QUICK_STATES = ['running', 'failed', 'lossy', 'retried']

/** Buttons for the states that are looked for most. */
function QuickFilters({ filter, onFilter }: { readonly filter: string; onFilter(filter: string): void }) {
  return (
    <div class="requests-quick">
      {QUICK_STATES.map((state) => (
        <button
          key={state}
          type="button"
          aria-pressed={hasWord(filter, `is:${state}`)}
          onClick={() => onFilter(toggleWord(filter, `is:${state}`))}
        >
          {state}
        </button>
      ))}
    </div>
  )
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; onClear(): void }) {
  if (!isFiltered)
    return (
      <p class="requests-nothing">
        No request since the server started. Send one with a client, or from <a href="#/live">Live</a>: it appears here
        as it begins, with its attempts, times, losses and usage.
      </p>
    )
  return (
    <p class="requests-nothing">
      No request fits the filter.{' '}
      <button type="button" onClick={onClear}>
        Clear the filter
      </button>
    </p>
  )
}

function countText(shown: readonly RequestEntry[], all: readonly RequestEntry[]): string {
  const running = all.filter((entry) => entry.running).length
  const count = shown.length === all.length ? `${all.length}` : `${shown.length} of ${all.length}`
  return `${count} ${all.length === 1 ? 'request' : 'requests'}${running === 0 ? '' : `, ${running} running`}`
}

/** A slash moves to the filter, unless the focus is in a field. */
function useFocusKey(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isInField = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isInField || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [field])
}

function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onEscape()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onEscape])
}

function useHasContent(server: PageServer): boolean {
  const [hasContent, setHasContent] = useState(true)
  useEffect(() => {
    // The list reports it if the server cannot be reached.
    server.describe().then(
      ({ content }) => setHasContent(content),
      () => undefined,
    )
  }, [server])
  return hasContent
}

const readOrder = (parameters: URLSearchParams): Order => ({
  column: parameters.get('sort') ?? NEWEST_FIRST.column,
  isDescending: parameters.get('order') !== 'ascending',
})

/** The parameters of the address; those with their usual value are left out. */
function writeParameters(filter: string, { column, isDescending }: Order, open: string | null): URLSearchParams {
  const parameters = new URLSearchParams()
  if (filter !== '') parameters.set('filter', filter)
  if (column !== NEWEST_FIRST.column) parameters.set('sort', column)
  if (!isDescending) parameters.set('order', 'ascending')
  if (open !== null) parameters.set('open', open)
  return parameters
}
