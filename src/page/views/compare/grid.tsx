import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Finding } from '../../../alignment/align.ts'
import {
  type CellLine,
  countFindings,
  deltaLines,
  type FlowRange,
  frameCell,
  SHOWN_FINDINGS,
  targetLines,
} from './cell-lines.ts'
import type { ComparedTarget, Comparison } from './compared.ts'
import { excerptOf } from './excerpt.ts'
import { carriedBy, MarkedText } from './marked-text.tsx'
import { digestOfTarget, isClean } from './outcomes.tsx'
import { isSame, moved, type Selection } from './selection.ts'

interface GridProps {
  readonly comparison: Comparison
  /** The selection that the columns show: the pinned one, or the one under the pointer, or the active one. */
  readonly shown: Selection
  readonly active: Selection
  readonly pinned: boolean
  /** The horizontal position, which the rows and the details have in common. */
  readonly left: number
  onLeft(left: number): void
  onActive(selection: Selection): void
  /** null: the pointer left the rows. */
  onHover(selection: Selection | null): void
  onPin(selection: Selection | null): void
}

/** Rows that are drawn above and below the visible ones. */
const MARGIN = 6

const idOf = (row: number): string => `compare-row-${row}`

/**
 * The frames of a recording with their deltas and what each target writes, of which only the visible ones are drawn. A table cannot
 * leave out rows, so that the elements have roles instead.
 */
export function CompareGrid(props: GridProps) {
  const { comparison, shown, active, pinned, left, onLeft, onActive, onHover, onPin } = props
  const tops = useMemo(() => topsOf(comparison), [comparison])
  const { box, scroll, setScroll } = useGridScroll(tops, left, active.row)
  const first = Math.max(0, rowAt(tops, scroll.top) - MARGIN)
  const last = Math.min(tops.length - 2, rowAt(tops, scroll.top + scroll.height) + MARGIN)
  const rows = Array.from({ length: last - first + 1 }, (_, at) => first + at)

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(active, event.key, comparison)
    if (next !== null) onActive(next)
    else if (event.key === 'Enter') onPin(pinned ? null : active)
    else if (event.key === 'Escape' && pinned) onPin(null)
    else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent): void => {
    const at = selectionAt(event.target)
    if (at === null) return
    onActive(at)
    onPin(pinned && isSame(at, shown) ? null : at)
  }
  return (
    <div
      ref={box}
      class="compare-grid"
      role="grid"
      aria-label="Frames, deltas and targets"
      aria-rowcount={comparison.frames.length + 1}
      aria-activedescendant={active.row >= first && active.row <= last ? idOf(active.row) : undefined}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollLeft } }) => {
        setScroll({ top: scrollTop, height: clientHeight })
        onLeft(scrollLeft)
      }}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerOver={(event) => onHover(selectionAt(event.target))}
      onPointerLeave={() => onHover(null)}
    >
      <Head comparison={comparison} />
      <div class="compare-rows" role="rowgroup" style={{ height: `${tops.at(-1) ?? 0}px` }}>
        {rows.map((row) => (
          <Row
            key={row}
            comparison={comparison}
            row={row}
            top={tops[row] ?? 0}
            selected={shown.range}
            state={stateOf(row, shown, active, pinned)}
          />
        ))}
      </div>
    </div>
  )
}

/** The element of the rows, whose position follows the details (`left`) and the active row. */
function useGridScroll(tops: readonly number[], left: number, activeRow: number) {
  const box = useRef<HTMLDivElement>(null)
  const [scroll, setScroll] = useState({ top: 0, height: 600 })
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = (): void => setScroll({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollLeft = left
  }, [left])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const [top = 0, bottom = 0] = [tops[activeRow], tops[activeRow + 1]]
    const height = element.clientHeight - HEADER
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + height) element.scrollTop = Math.min(top, bottom - height)
  }, [activeRow, tops])
  return { box, scroll, setScroll }
}

function selectionAt(target: EventTarget | null): Selection | null {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined
  return row === undefined ? null : { row: Number(row), range: carriedBy(target) }
}

const Head = ({ comparison }: { readonly comparison: Comparison }) => (
  <div class="compare-head" role="row" aria-rowindex={1} tabIndex={-1}>
    <span class="compare-frame" role="columnheader" tabIndex={-1}>
      Frame
    </span>
    <span role="columnheader" tabIndex={-1}>
      Deltas
    </span>
    {comparison.targets.map(({ aligned }) => (
      <span key={aligned.name} role="columnheader" tabIndex={-1}>
        {aligned.name} <span class={isClean(aligned) ? 'digest' : 'digest error'}>{digestOfTarget(aligned)}</span>
      </span>
    ))}
  </div>
)

function stateOf(row: number, shown: Selection, active: Selection, pinned: boolean): string {
  const states = [row === shown.row && 'shown', row === active.row && 'active', pinned && row === shown.row && 'pinned']
  return states.filter((state) => state !== false).join(' ')
}

interface RowProps {
  readonly comparison: Comparison
  readonly row: number
  readonly top: number
  readonly selected: FlowRange | null
  readonly state: string
}

function Row({ comparison, row, top, selected, state }: RowProps) {
  const { frames, targets } = comparison
  const line = useMemo(() => frameCell(comparison, row), [comparison, row])
  const deltaCell = useMemo(() => deltaLines(comparison, row), [comparison, row])
  const frame = frames[row]
  if (frame === undefined) return null
  const { deltas, isKept } = frame
  const writes = targets.some((target) => (target.aligned.rows[row] ?? []).some(({ written }) => written !== ''))
  const hasEffect = deltas.length > 0 || writes || frame.frame === 'end'
  return (
    <div
      id={idOf(row)}
      class={`compare-row ${state}${hasEffect || isKept ? '' : ' without-effect'}`}
      role="row"
      aria-rowindex={row + 2}
      aria-selected={state.includes('active')}
      data-row={row}
      tabIndex={-1}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div class="compare-cell compare-frame" role="gridcell" tabIndex={-1}>
        <Line line={line} selected={selected} number={frame.frame} />
        <Findings findings={comparison.findingsOf.get(row) ?? []} />
      </div>
      <div class="compare-cell" role="gridcell" tabIndex={-1}>
        {deltaCell.map((line, at) => (
          <Line key={at} line={line} selected={selected} />
        ))}
        {!hasEffect && <p class="compare-line quiet">{isKept ? 'takes effect later' : 'no effect'}</p>}
      </div>
      {targets.map((target) => (
        <TargetCell key={target.aligned.name} target={target} row={row} selected={selected} />
      ))}
    </div>
  )
}

interface TargetCellProps {
  readonly target: ComparedTarget
  readonly row: number
  readonly selected: FlowRange | null
}

function TargetCell({ target, row, selected }: TargetCellProps) {
  const lines = useMemo(() => targetLines(target, row), [target, row])
  return (
    <div class="compare-cell" role="gridcell" tabIndex={-1}>
      {lines.map((line, at) => (
        <div key={at}>
          <Line line={line} selected={selected} />
          <Findings findings={line.findings} />
        </div>
      ))}
    </div>
  )
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      {findings.slice(0, SHOWN_FINDINGS).map(({ rule, message }) => (
        <p key={rule + message} class="compare-line finding" title={message}>
          <span class="label error">✗ {rule}</span> {message}
        </p>
      ))}
      {findings.length > SHOWN_FINDINGS && (
        <p class="compare-line finding">✗ {findings.length - SHOWN_FINDINGS} more in the details</p>
      )}
    </>
  )
}

interface LineProps {
  readonly line: CellLine
  readonly selected: FlowRange | null
  readonly number?: number | string
}

function Line({ line, selected, number }: LineProps) {
  const { text, marks } = excerptOf(line.text, line.marks)
  return (
    <p class="compare-line">
      {number !== undefined && <span class="number">{typeof number === 'number' ? number : ''}</span>}
      {line.label !== '' && <span class={`label ${line.tone}`}>{line.label}</span>}
      <code>
        <MarkedText text={text} marks={marks} selected={selected} />
      </code>
    </p>
  )
}

/** The height of a line in pixels, as in `view.css`. A row has a border of one pixel. */
const LINE = 22
const HEADER = 32

/** The top of each row, followed by the height of all of them. Lines never wrap, so that no row has to be measured. */
export function topsOf({ frames, targets, findingsOf }: Comparison): readonly number[] {
  const tops = [0]
  let top = 0
  frames.forEach(({ deltas }, row) => {
    const lines = Math.max(
      1 + countFindings(findingsOf.get(row)),
      deltas.length,
      ...targets.map(({ lineCounts }) => lineCounts[row] ?? 0),
    )
    top += lines * LINE + 1
    tops.push(top)
  })
  return tops
}

/** The index of the row at a height. O(log n). */
export function rowAt(tops: readonly number[], height: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}
