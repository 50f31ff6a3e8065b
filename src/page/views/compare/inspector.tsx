import type { TargetPiece } from '../../../alignment/text-flows.ts'
import { repetitionsOf } from '../../../alignment/text-places.ts'
import { type CellLine, deltaLines, type FlowRange, frameCell, isLit, type Mark, targetLines } from './cell-lines.ts'
import type { ComparedTarget, Comparison } from './comparison.ts'
import { carriedBy, MarkedText } from './marked-text.tsx'
import type { Selection } from './selection.ts'

interface InspectorProps {
  readonly comparison: Comparison
  readonly shown: Selection
  readonly pinned: boolean
  onSelect(selection: Selection): void
  onHover(selection: Selection | null): void
}

/** The whole texts of one row, and the other places of the selected words. */
export function Inspector({ comparison, shown, pinned, onSelect, onHover }: InspectorProps) {
  const { row, range } = shown
  const frame = comparison.frames[row]
  if (frame === undefined) return null
  const name = typeof frame.frame === 'number' ? `Frame ${frame.frame}` : frame.frame === 'body' ? 'Body' : 'End'
  const bytes = frame.size === 0 ? 'no bytes' : `bytes ${frame.offset}–${frame.offset + frame.size - 1}`
  return (
    <section
      class="compare-inspector"
      aria-label="Details of the row"
      tabIndex={0}
      onPointerOver={({ target }) => {
        const carried = carriedBy(target)
        if (carried !== null) onHover({ row, range: carried })
      }}
      onPointerLeave={() => onHover(null)}
    >
      <header>
        <h2>{name}</h2>
        <span class="soft">
          {bytes}
          {range === null ? '' : ` · characters ${range.start}–${range.end - 1} of ${flowName(range.flow)}`}
        </span>
        <span class="soft hint">{pinned ? 'Pinned: Esc releases it' : '↑ ↓ frames · ← → words · Enter pins'}</span>
      </header>
      <div class="compare-texts">
        <Texts title="Frame" lines={[frameCell(comparison, row)]} range={range}>
          {comparison.findingsOf.get(row)?.map(({ rule, message }) => (
            <p key={rule + message} class="finding">
              ✗ {rule}: {message}
            </p>
          ))}
        </Texts>
        <Texts title="Deltas" lines={deltaLines(comparison, row)} range={range} />
        {comparison.targets.map((target) => (
          <Texts key={target.aligned.name} title={target.aligned.name} lines={targetLines(target, row)} range={range}>
            {range !== null && <Places target={target} row={row} range={range} onSelect={onSelect} />}
          </Texts>
        ))}
      </div>
    </section>
  )
}

const flowName = (flow: string): string =>
  (JSON.parse(flow) as readonly string[]).filter((word) => word !== '').join(' ')

interface TextsProps {
  readonly title: string
  readonly lines: readonly CellLine[]
  readonly range: FlowRange | null
  readonly children?: preact.ComponentChildren
}

function Texts({ title, lines, range, children }: TextsProps) {
  return (
    <div class="compare-text">
      <h3>{title}</h3>
      {lines.map(({ label, tone, text, marks }, at) => (
        <div key={at}>
          {label !== '' && <span class={`label ${tone}`}>{label}</span>}
          <pre class={range === null || hasLit(marks, range) ? undefined : 'brief'}>
            <MarkedText text={text.trimEnd()} marks={marks} selected={range} />
          </pre>
        </div>
      ))}
      {lines.length === 0 && <p class="soft">nothing</p>}
      {children}
    </div>
  )
}

const hasLit = (marks: readonly Mark[], range: FlowRange): boolean => marks.some(({ carries }) => isLit(carries, range))

interface PlacesProps {
  readonly target: ComparedTarget
  readonly row: number
  readonly range: FlowRange
  onSelect(selection: Selection): void
}

/** Links to the other rows in which the target writes the selected words. */
function Places({ target, row, range, onSelect }: PlacesProps) {
  const places = placesOf(target, range).filter((place) => place.row !== row)
  if (places.length === 0) return null
  return (
    <p class="compare-places">
      Also in
      {places.slice(0, MOST_PLACES).map((place) => (
        <button key={`${place.row} ${place.index}`} type="button" onClick={() => onSelect({ row: place.row, range })}>
          row {place.row} · {target.aligned.rows[place.row]?.[place.index]?.event?.type ?? 'end of stream'}
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
