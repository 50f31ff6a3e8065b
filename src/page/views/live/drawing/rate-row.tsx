import { useEffect, useRef } from 'preact/hooks'
import type { AnswerRecord } from '../answer/answer-record.ts'
import { RATE_STEP_MS, type RateName } from '../answer/rate-counts.ts'
import type { DrawLoop } from './draw-loop.ts'
import { RatePainter } from './rate-painter.ts'
import { axisEndOf } from './time-axis.ts'

interface RateRowProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly name: RateName
  readonly title: string
}

const MOST_POINTS = 240
/** A chart is drawn anew at most this often, in milliseconds: more cannot be read. */
const PAUSE_MS = 250

/** The amount per second over the time of an answer, on the time axis of the lanes. */
export function RateRow({ record, loop, name, title }: RateRowProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const most = useRef<HTMLSpanElement>(null)

  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const painter = new RatePainter(element)
    const draw = (): void => {
      const points = record.rates.points(name, record.now, MOST_POINTS)
      const [times, amounts] = points
      const step = times.length > 1 ? ((times[1] as number) - (times[0] as number)) * 1000 : RATE_STEP_MS
      painter.draw(points, step, axisEndOf(record))
      if (most.current !== null) most.current.textContent = `max ${number.format(Math.round(Math.max(0, ...amounts)))}`
    }
    const observer = new ResizeObserver(() => {
      painter.resize(element.clientWidth)
      draw()
    })
    observer.observe(element)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    const restyle = (): void => {
      painter.restyle()
      draw()
    }
    theme.addEventListener('change', restyle)
    const remove = loop.add(draw, PAUSE_MS)
    return () => {
      observer.disconnect()
      theme.removeEventListener('change', restyle)
      remove()
    }
  }, [record, loop])

  return (
    <>
      <p class="live-row-label">
        {title}
        <span ref={most} />
      </p>
      <div class="live-row-plot" aria-hidden="true">
        <canvas ref={canvas} class="live-rate" />
      </div>
    </>
  )
}

const number = new Intl.NumberFormat('en')
