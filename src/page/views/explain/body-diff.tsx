import { Fragment } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { JsonObject } from '../../../protocol/json.ts'
import type { BodyLine, DiffRow, LineKind } from './diff/body-line.ts'
import { diffBodies } from './diff/diff-rows.ts'
import { type DiffSection, foldRows, isQuiet } from './diff/fold-rows.ts'
import { type BodyNote, placeNotes } from './diff/row-notes.ts'
import { LineText } from './line-text.tsx'
import { formatCount } from './sizes.ts'

/** Rows that are drawn at once: a browser needs seconds for tens of thousands. */
const PAGE_OF_ROWS = 500

interface DiffProps {
  readonly client: JsonObject
  readonly upstream: JsonObject
  readonly notes: readonly BodyNote[]
}

/** The client's body beside the upstream's, with notes at their values. Unchanged parts are folded. */
export function BodyDiff({ client, upstream, notes }: DiffProps) {
  const rows = useMemo(() => diffBodies(client, upstream), [client, upstream])
  const placed = useMemo(() => placeNotes(rows, notes), [rows, notes])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(PAGE_OF_ROWS)
  const table = useRef<HTMLTableElement>(null)
  const sections = useMemo(() => foldRows(rows, new Set(placed.byRow.keys()), opened), [rows, placed, opened])
  const open = (start: number): void => {
    setOpened(new Set([...opened, start]))
    focusRow(table.current, start)
  }
  const goTo = (side: Side, path: string): void => {
    const at = rows.findIndex((row) => row[side]?.starts === true && row[side].path === path)
    const fold = sections.find(({ kind, start, end }) => kind === 'fold' && start <= at && at < end)
    if (fold !== undefined) setOpened(new Set([...opened, fold.start]))
    setMost(Math.max(most, at + PAGE_OF_ROWS))
    focusRow(table.current, at)
  }
  const shown = takeRows(sections, most)
  return (
    <>
      <Notes notes={placed.general} />
      <p class="explain-legend">
        {Object.values(SIGNS).map(
          ([sign, word]) =>
            word !== '' && (
              <span key={word} class={word === 'in a text' ? 'part' : word}>
                <span class="sign">{sign}</span> {word}
              </span>
            ),
        )}
      </p>
      <table class="explain-diff" ref={table}>
        <thead>
          <tr>
            <th scope="col">Client's body</th>
            <th scope="col">Upstream's body</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((section) =>
            section.kind === 'fold' ? (
              <FoldRow
                key={section.start}
                section={section}
                next={rows[section.end]}
                onOpen={() => open(section.start)}
              />
            ) : (
              rows.slice(section.start, section.end).map((row, i) => {
                const at = section.start + i
                return (
                  <DiffTableRow key={at} at={at} row={row} notes={placed.byRow.get(at) ?? NO_NOTES} onJump={goTo} />
                )
              })
            ),
          )}
        </tbody>
      </table>
      {(shown.at(-1)?.end ?? 0) < rows.length && (
        <button type="button" onClick={() => setMost(most + PAGE_OF_ROWS)}>
          Show more of {formatCount(rows.length, 'row')}
        </button>
      )}
    </>
  )
}

type Side = 'left' | 'right'
const NO_NOTES: readonly BodyNote[] = []

/** Moves the focus to a row once it is drawn. */
function focusRow(table: HTMLTableElement | null, at: number): void {
  requestAnimationFrame(() => {
    setTimeout(() => {
      const row = table?.querySelector<HTMLElement>(`[data-row="${at}"]`)
      row?.scrollIntoView({ block: 'center' })
      row?.focus({ preventScroll: true })
    })
  })
}

/** The first sections with at most this many rows. */
function takeRows(sections: readonly DiffSection[], most: number): readonly DiffSection[] {
  const taken: DiffSection[] = []
  let free = most
  for (const section of sections) {
    if (free === 0) break
    if (section.kind === 'fold') taken.push(section)
    else {
      const end = Math.min(section.end, section.start + free)
      taken.push({ ...section, end })
      free -= end - section.start
    }
  }
  return taken
}

interface FoldProps {
  readonly section: DiffSection & { readonly kind: 'fold' }
  /** The row after it. */
  readonly next: DiffRow | undefined
  readonly onOpen: () => void
}

function FoldRow({ section: { start, end, isMoved }, next, onOpen }: FoldProps) {
  const path = next?.right?.path ?? next?.left?.path
  const count = formatCount(end - start, isMoved ? 'moved line' : 'unchanged line')
  return (
    <tr class="fold">
      <td colSpan={2}>
        <button type="button" class="link" onClick={onOpen}>
          {count}
        </button>
        {path !== undefined && <span class="path">{path}</span>}
      </td>
    </tr>
  )
}

const SIGNS: Readonly<Record<LineKind, readonly [sign: string, word: string]>> = {
  same: [' ', ''],
  changed: ['~', 'changed'],
  added: ['+', 'added'],
  removed: ['−', 'removed'],
  moved: ['→', 'moved'],
  part: ['⊂', 'in a text'],
}

interface RowProps {
  readonly at: number
  readonly row: DiffRow
  readonly notes: readonly BodyNote[]
  readonly onJump: (side: Side, path: string) => void
}

function DiffTableRow({ at, row, notes, onJump }: RowProps) {
  return (
    <tr data-row={at} tabIndex={-1} class={isQuiet(row) ? 'quiet' : undefined}>
      {(['left', 'right'] as const).map((side) => (
        <Cell
          key={side}
          side={side}
          line={row[side]}
          beside={
            row[side]?.kind === 'changed' && row[side].other === null ? row[side === 'left' ? 'right' : 'left'] : null
          }
          notes={notes.filter((note) => note.side === side)}
          onJump={onJump}
        />
      ))}
    </tr>
  )
}

interface CellProps {
  readonly side: Side
  readonly line: BodyLine | null
  readonly beside: BodyLine | null
  readonly notes: readonly BodyNote[]
  readonly onJump: RowProps['onJump']
}

function Cell({ side, line, beside, notes, onJump }: CellProps) {
  if (line === null && notes.length === 0) return <td class={`${side} empty`} />
  const [sign, word] = SIGNS[line?.kind ?? 'same']
  return (
    <td class={`${side} ${line?.kind ?? 'empty'}`}>
      {line !== null && (
        <div class="line">
          <span class="sign" aria-hidden="true">
            {sign}
          </span>
          {word !== '' && <span class="hidden">{word}: </span>}
          <LineText line={line} beside={beside} />
          {line.leads && line.other !== null && (
            <Counterpart side={side} line={line} other={line.other} onJump={onJump} />
          )}
        </div>
      )}
      <Notes notes={notes} depth={line?.depth ?? 0} />
    </td>
  )
}

interface CounterpartProps {
  readonly side: Side
  readonly line: BodyLine
  readonly other: string
  readonly onJump: RowProps['onJump']
}

/** The link to the place of a moved value in the other body. */
function Counterpart({ side, line, other, onJump }: CounterpartProps) {
  const word = line.kind === 'part' ? 'in' : side === 'left' ? 'to' : 'from'
  return (
    <button
      type="button"
      class="link counterpart"
      style={{ marginLeft: `${2 * line.depth + 2}ch` }}
      onClick={() => onJump(side === 'left' ? 'right' : 'left', other)}
    >
      {word} {other}
    </button>
  )
}

/** Notes below their line, or above the diff if they are about no value. */
function Notes({ notes, depth = 0 }: { readonly notes: readonly BodyNote[]; readonly depth?: number }) {
  return (
    <Fragment>
      {notes.map(({ kind, path, text }) => (
        <div key={`${kind} ${path} ${text}`} class={`note ${kind}`} style={{ marginLeft: `${2 * depth + 2}ch` }}>
          <span class="label">{kind}</span> <code>{path}</code> {text}
        </div>
      ))}
    </Fragment>
  )
}
