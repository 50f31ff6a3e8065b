import { Fragment } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { AlignedFrame } from '../../../alignment/align.ts'
import type { TargetPiece } from '../../../alignment/text-flows.ts'
import { repetitionsOf } from '../../../alignment/text-places.ts'
import { isTouch } from '../../pointer.ts'
import { type CellLine, deltaLines, type FlowRange, frameCell, isLit, type Mark, targetLines } from './cell-lines.ts'
import type { ComparedTarget, Comparison } from './compared.ts'
import { shownParts } from './excerpt.ts'
import { carriedBy, MarkedText } from './marked-text.tsx'
import type { Selection } from './selection.ts'

interface InspectorProps {
  readonly comparison: Comparison
  readonly shown: Selection
  readonly pinned: boolean
  /** The horizontal position, which the rows and the details have in common. */
  readonly left: number
  onLeft(left: number): void
  onSelect(selection: Selection): void
  onHover(selection: Selection | null): void
}

/** The whole texts of one row, and the other places of the selected words. */
export function Inspector({ comparison, shown, pinned, left, onLeft, onSelect, onHover }: InspectorProps) {
  const { row, range } = shown
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.scrollLeft = left
  }, [left])
  // The lines of a whole body of megabytes take a while, and the pointer changes the selection often.
  const lines = useMemo(
    () => [
      [frameCell(comparison, row)],
      deltaLines(comparison, row),
      ...comparison.targets.map((target) => targetLines(target, row)),
    ],
    [comparison, row],
  )
  const frame = comparison.frames[row]
  if (frame === undefined) return null
  const bytes = frame.size === 0 ? 'no bytes' : `bytes ${frame.offset}–${frame.offset + frame.size - 1}`
  return (
    <section
      ref={box}
      class="compare-inspector"
      aria-label="Details of the row"
      tabIndex={0}
      onScroll={({ currentTarget }) => onLeft(currentTarget.scrollLeft)}
      onPointerOver={({ target }) => {
        const carried = carriedBy(target)
        if (carried !== null) onHover({ row, range: carried })
      }}
      onPointerLeave={() => onHover(null)}
    >
      <header>
        <h2>{nameOfRow(frame)}</h2>
        <span class="soft">
          {bytes}
          {range === null ? '' : ` · ${placeOf(range)}`}
        </span>
        <span class="soft hint">{isTouch() ? TOUCH_HINTS[`${pinned}`] : KEY_HINTS[`${pinned}`]}</span>
      </header>
      <div class="compare-texts">
        <Texts title="Frame" lines={lines[0]} range={range}>
          {comparison.findingsOf.get(row)?.map(({ rule, message }) => (
            <p key={rule + message} class="finding">
              ✗ {rule}: {message}
            </p>
          ))}
        </Texts>
        <Texts title="Deltas" lines={lines[1]} range={range} />
        {comparison.targets.map((target, at) => (
          <Texts key={target.aligned.name} title={target.aligned.name} lines={lines[2 + at]} range={range}>
            {range !== null && (
              <Places comparison={comparison} target={target} row={row} range={range} onSelect={onSelect} />
            )}
          </Texts>
        ))}
      </div>
    </section>
  )
}

const KEY_HINTS = { true: 'Pinned: Esc releases it', false: '↑ ↓ frames · ← → words · Enter pins' }
const TOUCH_HINTS = { true: 'Pinned: tap it again to release it', false: 'Tap a row or its words to pin them' }

const nameOfRow = (frame: AlignedFrame | undefined): string =>
  typeof frame?.frame === 'number' ? `Frame ${frame.frame}` : frame?.frame === 'body' ? 'Body' : 'End'

/** The place of words, such as `characters 38–56 of the reasoning thought 1`. Some flows have no name of their own. */
function placeOf({ flow, start, end }: FlowRange): string {
  const [kind, ...names] = (JSON.parse(flow) as readonly string[]).filter((word) => word !== '')
  return `characters ${start}–${end - 1} of the ${kind} ${names.join(' ')}`
}

interface TextsProps {
  readonly title: string
  readonly lines: readonly CellLine[] | undefined
  readonly range: FlowRange | null
  readonly children?: preact.ComponentChildren
}

function Texts({ title, lines = [], range, children }: TextsProps) {
  return (
    <div class={title === 'Frame' ? 'compare-text compare-frame' : 'compare-text'}>
      <h3>{title}</h3>
      {lines.map(({ label, tone, text, marks }, at) => (
        <div key={at}>
          {label !== '' && <span class={`label ${tone}`}>{label}</span>}
          <pre class={range === null || litMark(marks, range) !== undefined ? undefined : 'brief'}>
            {shownParts({ text: text.trimEnd(), marks }, litMark(marks, range)).map((part, at) => (
              <Fragment key={at}>
                {part.omitted > 0 && (
                  <span class="omitted"> … {part.omitted.toLocaleString('en')} characters are not shown … </span>
                )}
                <MarkedText text={part.text} marks={part.marks} selected={range} />
              </Fragment>
            ))}
          </pre>
        </div>
      ))}
      {lines.length === 0 && <p class="soft">nothing</p>}
      {children}
    </div>
  )
}

const litMark = (marks: readonly Mark[], range: FlowRange | null): Mark | undefined =>
  marks.find(({ carries }) => isLit(carries, range))

interface PlacesProps {
  readonly comparison: Comparison
  readonly target: ComparedTarget
  readonly row: number
  readonly range: FlowRange
  onSelect(selection: Selection): void
}

/** Links to the other rows in which the target writes the selected words. */
function Places({ comparison, target, row, range, onSelect }: PlacesProps) {
  const all = useMemo(() => placesOf(target, range), [target, range])
  const places = all.filter((place) => place.row !== row)
  if (places.length === 0) return null
  return (
    <p class="compare-places">
      Also in
      {places.slice(0, MOST_PLACES).map((place) => (
        <button key={`${place.row} ${place.index}`} type="button" onClick={() => onSelect({ row: place.row, range })}>
          {nameOfRow(comparison.frames[place.row])} ·{' '}
          {target.aligned.rows[place.row]?.[place.index]?.event?.type ?? 'the end of the stream'}
        </button>
      ))}
      {places.length > MOST_PLACES && <span class="soft">and {places.length - MOST_PLACES} more</span>}
    </p>
  )
}

const MOST_PLACES = 8

function placesOf({ aligned, pieces }: ComparedTarget, range: FlowRange) {
  const carrying = pieces.filter((piece) => isLit(piece, range))
  const repeated = carrying.slice(0, 1).flatMap((piece) => repetitionsOf(aligned, piece, partText(pieces, piece)))
  return [...carrying, ...repeated].map((place) => ({ row: place.row, index: place.index }))
}

const partText = (pieces: readonly TargetPiece[], { part }: TargetPiece): string =>
  pieces.flatMap((piece) => (piece.part === part ? [piece.text] : [])).join('')
