import type { AnswerRecord } from '../answer/answer-record.ts'
import type { Lane, Tick } from '../answer/lanes.ts'
import { axisEndOf, axisLabels, formatAxisTime, type TimeScale, toPixel } from './time-axis.ts'

/** Heights in CSS pixels. The style sheet has the same height for the label of a lane. */
const LANE_HEIGHT = 24
const AXIS_HEIGHT = 24

/** More lanes than a canvas can be high. The table of items has all of them. */
export const MOST_LANES = 500

const TICK_HEIGHT = 14
const LABEL_DISTANCE = 90
const LABEL_WIDTH = 48

/** The custom property of the style sheet for each colour. A hosted tool differs from a call by its label and its ticks. */
const PROPERTIES = {
  message: '--text',
  reasoning: '--reasoning',
  call: '--tool',
  hosted: '--tool',
  citation: '--citation',
  line: '--line',
  label: '--ink-soft',
  accent: '--accent',
}

type Colours = Readonly<Record<keyof typeof PROPERTIES, string>>

/**
 * Draws the lanes of an answer on a canvas. While the axis stays the same, it draws only the ticks that were added, so
 * that a frame costs as much as its additions.
 */
export class LanesPainter {
  private readonly canvas: HTMLCanvasElement
  private readonly context: CanvasRenderingContext2D
  private colours: Colours
  private scale: TimeScale = { end: 0, width: 0 }
  private width = 0
  private laneCount = 0
  private drawn = 0
  /** The last column of each lane that has a tick: further ticks there would change nothing. */
  private columns: number[] = []

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('The browser has no canvas.')
    this.canvas = canvas
    this.context = context
    this.colours = coloursOf(canvas)
  }

  /** Reads the colours again, after the theme has changed. */
  restyle(): void {
    this.colours = coloursOf(this.canvas)
  }

  /** `width`: that of the canvas, in CSS pixels. It is not read here, because that would cost a layout of the page. */
  resize(width: number): void {
    this.width = width
  }

  /** Draws what was added; everything if `anew`, or if axis or lanes have changed. */
  draw(record: AnswerRecord, selected: number | null, anew: boolean): void {
    const end = axisEndOf(record)
    const { width } = this
    const lanes = Math.min(record.lanes.length, MOST_LANES)
    if (anew || end !== this.scale.end || width !== this.scale.width || lanes !== this.laneCount) {
      this.scale = { end, width }
      this.laneCount = lanes
      this.drawAll(record, selected)
    } else this.drawTicks(record)
  }

  /** The tick nearest to a place on the canvas, in CSS pixels; null if the lane there has none. */
  tickAt({ lanes, ticks }: AnswerRecord, x: number, y: number): number | null {
    const lane = lanes[Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT)]
    if (lane === undefined || y < AXIS_HEIGHT || lane.ticks.length === 0) return null
    return nearestTick(lane, ticks, (x / this.scale.width) * this.scale.end)
  }

  private drawAll(record: AnswerRecord, selected: number | null): void {
    const { canvas, context, scale, laneCount } = this
    const ratio = globalThis.devicePixelRatio
    const height = AXIS_HEIGHT + laneCount * LANE_HEIGHT
    canvas.width = Math.round(scale.width * ratio)
    canvas.height = Math.round(height * ratio)
    canvas.style.height = `${height}px`
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, scale.width, height)
    this.drawAxis(height)
    this.drawn = 0
    this.columns = []
    for (const lane of record.lanes.slice(0, laneCount)) this.drawSpan(lane, scale.end)
    this.drawTicks(record)
    const tick = selected === null ? undefined : record.ticks[selected]
    if (tick !== undefined) this.drawSelection(tick, height)
  }

  private drawAxis(height: number): void {
    const { context, scale, colours } = this
    context.font = '11px system-ui, sans-serif'
    context.textBaseline = 'middle'
    for (const time of axisLabels(scale.end, Math.max(2, scale.width / LABEL_DISTANCE))) {
      const x = Math.round(toPixel(time, scale)) + 0.5
      context.strokeStyle = colours.line
      context.beginPath()
      context.moveTo(x, AXIS_HEIGHT - 6)
      context.lineTo(x, height)
      context.stroke()
      // A label that does not fit is left out: half a number is another number.
      if (x + LABEL_WIDTH > scale.width) continue
      context.fillStyle = colours.label
      context.fillText(formatAxisTime(time, scale.end), x + 3, AXIS_HEIGHT / 2)
    }
  }

  /** The line of an item from its begin to its end. */
  private drawSpan(lane: Lane, end: number): void {
    const { context, scale, colours } = this
    const from = toPixel(lane.began, scale)
    context.globalAlpha = 0.25
    context.fillStyle = colours[lane.kind]
    const to = toPixel(Math.min(lane.ended ?? end, end), scale)
    context.fillRect(from, middleOf(lane.position) - 1.5, Math.max(to - from, 2), 3)
    context.globalAlpha = 1
  }

  private drawTicks({ ticks, lanes }: AnswerRecord): void {
    for (; this.drawn < ticks.length; this.drawn += 1) {
      const tick = ticks[this.drawn] as Tick
      const lane = lanes[tick.lane]
      if (lane !== undefined && tick.lane < this.laneCount) this.drawTick(tick, lane)
    }
  }

  private drawTick(tick: Tick, lane: Lane): void {
    const { context, colours, columns } = this
    const x = Math.round(toPixel(tick.time, this.scale))
    const y = middleOf(tick.lane)
    if (tick.kind === 'delta') {
      if (columns[tick.lane] === x) return
      columns[tick.lane] = x
      context.fillStyle = colours[lane.kind]
      context.fillRect(x - 0.5, y - TICK_HEIGHT / 2, 1.5, TICK_HEIGHT)
      return
    }
    context.beginPath()
    if (tick.kind === 'citation') {
      context.fillStyle = colours.citation
      context.moveTo(x, y - 7)
      context.lineTo(x + 4, y - 11)
      context.lineTo(x - 4, y - 11)
      context.fill()
      return
    }
    context.fillStyle = colours[lane.kind]
    context.arc(x, y, 4, 0, 2 * Math.PI)
    context.fill()
  }

  private drawSelection(tick: Tick, height: number): void {
    const { context, colours, scale } = this
    const x = Math.round(toPixel(tick.time, scale)) + 0.5
    context.strokeStyle = colours.accent
    context.beginPath()
    context.moveTo(x, AXIS_HEIGHT - 6)
    context.lineTo(x, height)
    context.stroke()
    context.lineWidth = 2
    context.strokeRect(x - 4, middleOf(tick.lane) - LANE_HEIGHT / 2 + 2, 8, LANE_HEIGHT - 4)
    context.lineWidth = 1
  }
}

const middleOf = (lane: number): number => AXIS_HEIGHT + lane * LANE_HEIGHT + LANE_HEIGHT / 2

/** The tick of a lane that is nearest to a time. The ticks of a lane are in the order of their times. */
export function nearestTick(lane: Lane, ticks: readonly Tick[], time: number): number | null {
  const timeAt = (at: number): number => ticks[lane.ticks[at] ?? -1]?.time ?? Number.POSITIVE_INFINITY
  let [low, high] = [0, lane.ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeAt(middle) < time) low = middle + 1
    else high = middle
  }
  const before = low > 0 && time - timeAt(low - 1) < timeAt(low) - time
  return lane.ticks[before ? low - 1 : low] ?? null
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const found = Object.entries(PROPERTIES).map(([name, property]) => [name, style.getPropertyValue(property).trim()])
  return Object.fromEntries(found) as Colours
}
