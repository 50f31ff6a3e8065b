import type { RatePoints } from '../answer/rate-counts.ts'
import { type TimeScale, toPixel } from './time-axis.ts'

/** The height of a chart, in CSS pixels, as in the style sheet. */
const RATE_HEIGHT = 32
/** The line of the largest amount is not cut off. */
const MARGIN = 4

/** Draws amounts per second as steps, on a canvas. The area below them is filled. */
export class RatePainter {
  private readonly canvas: HTMLCanvasElement
  private readonly context: CanvasRenderingContext2D
  private stroke = ''
  private fill = ''
  private width = 0

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('The browser has no canvas.')
    this.canvas = canvas
    this.context = context
    this.restyle()
  }

  /** Reads the colours again, after the theme has changed. */
  restyle(): void {
    const style = getComputedStyle(this.canvas)
    this.stroke = style.getPropertyValue('--accent').trim()
    this.fill = style.getPropertyValue('--accent-ground').trim()
  }

  /** `width`: that of the canvas, in CSS pixels. */
  resize(width: number): void {
    this.width = width
  }

  /** `step`: milliseconds between two points. `end`: the end of the time axis, in milliseconds. */
  draw([times, amounts]: RatePoints, step: number, end: number): void {
    const { canvas, context, width } = this
    const ratio = globalThis.devicePixelRatio
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(RATE_HEIGHT * ratio)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const scale: TimeScale = { end, width }
    const most = Math.max(1, ...amounts)
    const line = new Path2D()
    line.moveTo(0, RATE_HEIGHT)
    for (const [i, time] of times.entries()) {
      const y = RATE_HEIGHT - ((amounts[i] as number) / most) * (RATE_HEIGHT - MARGIN)
      line.lineTo(toPixel(time * 1000, scale), y)
      line.lineTo(toPixel(time * 1000 + step, scale), y)
    }
    line.lineTo(toPixel((times.at(-1) ?? 0) * 1000 + step, scale), RATE_HEIGHT)
    context.fillStyle = this.fill
    context.fill(line)
    context.strokeStyle = this.stroke
    context.stroke(line)
  }
}
