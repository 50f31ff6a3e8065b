import { useEffect, useRef, useState } from 'preact/hooks'
import { isTouch } from '../../../pointer.ts'
import type { AnswerRecord } from '../answer/answer-record.ts'
import { LANE_SIGNS, type Lane } from '../answer/lanes.ts'
import { describeTick, type LiveSelection, selectLane, selectTick } from '../selection.ts'
import { titleOfLane } from './answer-text.ts'
import { type DrawLoop, LANES_PAUSE_MS } from './draw-loop.ts'
import { LanesPainter, MOST_LANES } from './lanes-painter.ts'
import { RateRow } from './rate-row.tsx'
import { TimesRow } from './times-row.tsx'

interface LanesPanelProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly selection: LiveSelection
  readonly onSelect: (selection: LiveSelection) => void
}

/** Ticks that PageUp and PageDown skip. */
const PAGE = 10

/** First byte, rates and lanes of an answer, on one time axis. */
export function LanesPanel({ record, loop, selection, onSelect }: LanesPanelProps) {
  const { canvas, tickAt } = useLanesPainter(record, loop, selection)
  const [hovered, setHovered] = useState<number | null>(null)

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = selectionForKey(event.key, record, selection)
    if (next === null) return
    event.preventDefault()
    onSelect(next)
  }

  const shown = hovered ?? selection.tick
  const tick = shown === null ? undefined : record.ticks[shown]
  const description = tick === undefined ? '' : describeTick(record, tick, titleOfLane)
  const count = record.ticks.length
  return (
    <section class="live-lanes" aria-label="Lanes">
      <div class="live-lanes-box">
        <TimesRow record={record} />
        <RateRow record={record} loop={loop} name="characters" title="Characters/s" />
        <RateRow record={record} loop={loop} name="frames" title="Frames/s" />
        <ol class="live-lane-labels" aria-label="Items">
          {record.lanes.slice(0, MOST_LANES).map((lane) => (
            <LaneLabel key={lane.position} lane={lane} />
          ))}
        </ol>
        <div
          class="live-canvas-box"
          role="slider"
          tabIndex={0}
          aria-label="Delta"
          aria-valuemin={count === 0 ? 0 : 1}
          aria-valuemax={count}
          aria-valuenow={selection.tick === null ? 0 : selection.tick + 1}
          aria-valuetext={selection.tick === null ? 'no delta selected' : description}
          onKeyDown={onKeyDown}
        >
          <canvas
            ref={canvas}
            onPointerMove={(event) => setHovered(tickAt(event))}
            onPointerLeave={() => setHovered(null)}
            onClick={(event) => {
              const at = tickAt(event)
              if (at !== null) onSelect(selectTick(record, at))
            }}
          />
        </div>
      </div>
      <p class="live-hint">
        {description === '' ? `${hint()}; its frame and its text are marked.` : description}
        {record.lanes.length > MOST_LANES &&
          ` ${record.lanes.length - MOST_LANES} further items are only in the table.`}
      </p>
    </section>
  )
}

/** Draws the lanes on a canvas: with each frame of the loop, and anew after a change of size, colours or selection. */
function useLanesPainter(record: AnswerRecord, loop: DrawLoop, selection: LiveSelection) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const redraw = useRef<(anew: boolean) => void>(() => {})
  const painter = useRef<LanesPainter | null>(null)
  const selected = useRef(selection.tick)
  selected.current = selection.tick

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const drawer = new LanesPainter(element)
    painter.current = drawer
    const draw = (anew: boolean): void => drawer.draw(record, selected.current, anew)
    redraw.current = draw
    const resize = (): void => {
      drawer.resize(element.clientWidth)
      draw(true)
    }
    const observer = new ResizeObserver(resize)
    observer.observe(element)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    const restyle = (): void => {
      drawer.restyle()
      draw(true)
    }
    theme.addEventListener('change', restyle)
    const remove = loop.add(() => draw(false), LANES_PAUSE_MS)
    resize()
    return () => {
      observer.disconnect()
      theme.removeEventListener('change', restyle)
      remove()
    }
  }, [record, loop])

  useEffect(() => redraw.current(true), [selection])

  const tickAt = ({ offsetX, offsetY }: MouseEvent): number | null =>
    painter.current?.tickAt(record, offsetX, offsetY) ?? null
  return { canvas, tickAt }
}

const hint = (): string => (isTouch() ? 'A tap selects a delta' : 'Arrow keys or a click select a delta')

function LaneLabel({ lane }: { readonly lane: Lane }) {
  return (
    <li class={`live-lane-label live-kind-${lane.kind}`} title={titleOfLane(lane)}>
      <span class="live-lane-sign" aria-hidden="true">
        {LANE_SIGNS[lane.kind]}
      </span>
      <span class="live-lane-title">{titleOfLane(lane)}</span>
      <span class="live-lane-count">{lane.ticks.length}</span>
    </li>
  )
}

function selectionForKey(key: string, record: AnswerRecord, selection: LiveSelection): LiveSelection | null {
  const at = selection.tick ?? -1
  switch (key) {
    case 'ArrowRight':
      return selectTick(record, at + 1)
    case 'ArrowLeft':
      return selectTick(record, at - 1)
    case 'ArrowDown':
      return selectLane(record, selection, 1)
    case 'ArrowUp':
      return selectLane(record, selection, -1)
    case 'PageDown':
      return selectTick(record, at + PAGE)
    case 'PageUp':
      return selectTick(record, at - PAGE)
    case 'Home':
      return selectTick(record, 0)
    case 'End':
      return selectTick(record, record.ticks.length - 1)
    default:
      return null
  }
}
