import { useEffect, useRef } from 'preact/hooks'
import Chart from 'uplot'
import type { AnswerRecord } from '../answer/answer-record.ts'
import { RATE_STEP_MS, type RateName } from '../answer/rate-counts.ts'
import type { DrawLoop } from './draw-loop.ts'
import { axisEndOf } from './time-axis.ts'

interface RateRowProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly name: RateName
  readonly title: string
}

const MOST_POINTS = 240
const HEIGHT = 32
/** A chart is drawn anew at most this often, in milliseconds: more cannot be read. */
const PAUSE_MS = 250

/** The amount per second over the time of an answer, on the time axis of the lanes. */
export function RateRow({ record, loop, name, title }: RateRowProps) {
  const box = useRef<HTMLDivElement>(null)
  const most = useRef<HTMLSpanElement>(null)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const endOf = (): number => axisEndOf(record) / 1000
    let chart = createChart(element, endOf)
    const draw = (): void => {
      const [times, amounts] = record.rates.points(name, record.now, MOST_POINTS)
      const last = times.at(-1) ?? 0
      const width = times.length > 1 ? (times[1] as number) - (times[0] as number) : RATE_STEP_MS / 1000
      chart.setData([
        [...times, last + width],
        [...amounts, amounts.at(-1) ?? 0],
      ])
      if (most.current !== null) most.current.textContent = `max ${number.format(Math.round(Math.max(0, ...amounts)))}`
    }
    const rebuild = (): void => {
      chart.destroy()
      chart = createChart(element, endOf)
      draw()
    }
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    theme.addEventListener('change', rebuild)
    const remove = loop.add(draw, PAUSE_MS)
    draw()
    return () => {
      observer.disconnect()
      theme.removeEventListener('change', rebuild)
      remove()
      chart.destroy()
    }
  }, [record, loop])

  return (
    <>
      <p class="live-row-label">
        {title}
        <span ref={most} />
      </p>
      <div ref={box} class="live-row-plot" aria-hidden="true" />
    </>
  )
}

const number = new Intl.NumberFormat('en')

/** `endOf`: the end of the time axis, in seconds. */
function createChart(element: HTMLElement, endOf: () => number): Chart {
  const style = getComputedStyle(element)
  const [stroke = '', fill = ''] = ['--accent', '--accent-ground'].map((property) =>
    style.getPropertyValue(property).trim(),
  )
  const stepped = Chart.paths.stepped?.({ align: 1 })
  return new Chart(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [4, 0, 0, 0],
      scales: {
        x: { time: false, range: () => [0, endOf()] },
        y: { range: (_, _least, most) => [0, Math.max(most, 1)] },
      },
      axes: [{ show: false }, { show: false }],
      series: [{}, { stroke, fill, width: 1, points: { show: false }, ...(stepped ? { paths: stepped } : {}) }],
    },
    [[], []],
    element,
  )
}
