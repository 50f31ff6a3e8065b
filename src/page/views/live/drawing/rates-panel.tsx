import { useEffect, useRef } from 'preact/hooks'
import Chart from 'uplot'
import type { AnswerRecord } from '../answer/answer-record.ts'
import type { RateName } from '../answer/rate-counts.ts'
import type { DrawLoop } from './draw-loop.ts'

interface RateChartProps {
  readonly record: AnswerRecord
  readonly loop: DrawLoop
  readonly name: RateName
  readonly title: string
}

const MOST_POINTS = 120
const HEIGHT = 72
/** A chart is drawn anew at most this often, in milliseconds: more cannot be read. */
const PAUSE_MS = 250

/** The amount per second over the time of an answer. */
export function RateChart({ record, loop, name, title }: RateChartProps) {
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    let chart = createChart(element, name)
    const draw = (): void => {
      const [times, amounts] = record.rates.points(name, Math.max(record.now, 1000), MOST_POINTS)
      chart.setData([[...times], [...amounts]])
    }
    const rebuild = (): void => {
      chart.destroy()
      chart = createChart(element, name)
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
    <figure class="live-rate">
      <figcaption>{title}</figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  )
}

function createChart(element: HTMLElement, name: RateName): Chart {
  const style = getComputedStyle(element)
  const [stroke = '', muted = '', line = ''] = ['--accent', '--ink-soft', '--line'].map((property) =>
    style.getPropertyValue(property).trim(),
  )
  const axis: Chart.Axis = {
    stroke: muted,
    font: '11px system-ui, sans-serif',
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
    gap: 2,
  }
  return new Chart(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [6, 8, 0, 0],
      scales: { x: { time: false }, y: { range: (_, _least, most) => [0, Math.max(most, 1)] } },
      axes: [
        { ...axis, size: 18, grid: { show: false }, values: (_, times) => times.map((time) => `${time} s`) },
        { ...axis, size: 44, space: 24, values: (_, amounts) => amounts.map(shortNumber) },
      ],
      series: [{}, { stroke, width: 1.5, points: { show: false }, label: name }],
    },
    [[], []],
    element,
  )
}

const shortNumber = (amount: number): string =>
  amount >= 1000 ? `${Number((amount / 1000).toFixed(1))}k` : `${amount}`
