import { Fragment } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { OriginPair } from '../../../engine/origins.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import type { BodyLine, DiffRow, LineKind } from './diff/body-line.ts'
import { diffBodies } from './diff/diff-rows.ts'
import { type DiffSection, foldRows, isQuiet } from './diff/fold-rows.ts'
import { type BodyNote, type PlacedNotes, placeNotes } from './diff/row-notes.ts'
import { LineText } from './line-text.tsx'
import { countNoun } from './sizes.ts'

/** Rows that are drawn at once: a browser needs seconds for tens of thousands. */
const PAGE_OF_ROWS = 500

interface DiffProps {
  readonly client: JsonObject
  readonly upstream: JsonObject
  readonly origins: readonly OriginPair[]
  readonly notes: readonly BodyNote[]
}

/** The client's body beside the upstream's, with notes at their values. Unchanged parts are folded. */
export function BodyDiff({ client, upstream, origins, notes }: DiffProps) {
  const rows = useMemo(() => diffBodies(client, upstream, origins), [client, upstream, origins])
  const placed = useMemo(() => placeNotes(rows, notes), [rows, notes])
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [most, setMost] = useState(PAGE_OF_ROWS)
  const table = useRef<HTMLTableElement>(null)
  const sections = useMemo(() => foldRows(rows, new Set(placed.byRow.keys()), opened), [rows, placed, opened])
  const open = (start: number): void => {
    setOpened(new Set([...opened, start]))
    focusRow(table.current, start)
  }
  const goTo = (side: Side, path: string): void =>
    goToRow(rows.findIndex((row) => row[side]?.starts === true && row[side].path === path))
  const goToRow = (at: number): void => {
    const fold = sections.find(({ kind, start, end }) => kind === 'fold' && start <= at && at < end)
    if (fold !== undefined) setOpened(new Set([...opened, fold.start]))
    setMost(Math.max(most, at + PAGE_OF_ROWS))
    focusRow(table.current, at)
  }
  const shown = takeRows(sections, most)
  return (
    <>
      <NoteList placed={placed} onRow={goToRow} />
      <p class="explain-legend">
        {Object.entries(SIGNS).map(
          ([kind, [sign, word]]) =>
            word !== '' && (
              <span key={word} class={`entry ${kind}`}>
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
          Show more of {countNoun(rows.length, 'row')}
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
  const count = countNoun(end - start, isMoved ? 'moved line' : 'unchanged line')
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

interface NoteListProps {
  readonly placed: PlacedNotes
  readonly onRow: (at: number) => void
}

/** All notes above the diff, each with a link to its row if it has one. */
function NoteList({ placed, onRow }: NoteListProps) {
  const rows = [...placed.byRow].sort(([one], [other]) => one - other)
  const all = [
    ...placed.general.map((note) => ({ at: null, note })),
    ...rows.flatMap(([at, notes]) => notes.map((note) => ({ at, note }))),
  ]
  if (all.length === 0) return null
  return (
    <ul class="explain-notes" aria-label="Losses, problems and breakpoints">
      {all.map(({ at, note: { kind, path, text } }, index) => (
        <li key={index} class={`entry ${kind}`}>
          <span class="label">{kind}</span>
          {at === null ? (
            <code>{path}</code>
          ) : (
            <button type="button" class="link path" onClick={() => onRow(at)}>
              {path}
            </button>
          )}
          <span>{text}</span>
        </li>
      ))}
    </ul>
  )
}

/** Notes below their line. */
function Notes({ notes, depth }: { readonly notes: readonly BodyNote[]; readonly depth: number }) {
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
