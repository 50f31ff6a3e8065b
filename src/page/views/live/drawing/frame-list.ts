import type { AnswerRecord } from '../answer/answer-record.ts'
import type { FrameRow } from '../answer/lanes.ts'
import { showDuration } from './time-axis.ts'

/** The height of a row, in CSS pixels, as in the style sheet. */
export const FRAME_ROW_HEIGHT = 22

/** Rows above and below the visible ones. */
const MARGIN = 8

const LONGEST_CELL = 300

/**
 * A list of all frames, of which only the visible rows are elements. Rows are reused, and a row that shows the same
 * frame as before is not touched.
 */
export class FrameList {
  private readonly box: HTMLElement
  private readonly space: HTMLElement
  private readonly rows = new Map<number, HTMLElement>()
  private count = 0
  private selected: number | null = null

  /** `box`: the element that scrolls. */
  constructor(box: HTMLElement) {
    this.box = box
    this.space = document.createElement('div')
    this.space.className = 'live-frame-space'
    this.space.setAttribute('role', 'presentation')
    box.append(this.space)
  }

  draw({ frames }: AnswerRecord, selected: number | null, follows: boolean): void {
    if (frames.length !== this.count) {
      this.count = frames.length
      this.space.style.height = `${this.count * FRAME_ROW_HEIGHT}px`
      if (follows) this.box.scrollTop = this.count * FRAME_ROW_HEIGHT
    }
    this.selected = selected
    this.drawVisible(frames)
  }

  /** Scrolls until the row is visible. */
  reveal(at: number): void {
    const { box } = this
    const top = at * FRAME_ROW_HEIGHT
    const isVisible = top >= box.scrollTop && top + FRAME_ROW_HEIGHT <= box.scrollTop + box.clientHeight
    if (!isVisible) box.scrollTop = top - box.clientHeight / 2
  }

  isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.box
    return scrollTop + clientHeight >= scrollHeight - 2 * FRAME_ROW_HEIGHT
  }

  rowsOfPage(): number {
    return Math.max(1, Math.floor(this.box.clientHeight / FRAME_ROW_HEIGHT) - 1)
  }

  private drawVisible(frames: readonly FrameRow[]): void {
    const { box, rows } = this
    const first = Math.max(0, Math.floor(box.scrollTop / FRAME_ROW_HEIGHT) - MARGIN)
    const last = Math.min(frames.length, Math.ceil((box.scrollTop + box.clientHeight) / FRAME_ROW_HEIGHT) + MARGIN)
    for (const [at, row] of rows) {
      if ((at >= first && at < last) || at === this.selected) continue
      row.remove()
      rows.delete(at)
    }
    for (let at = first; at < last; at += 1) this.drawRow(at, frames[at])
    // The list refers to its selected row, which is an element even if it is not visible.
    if (this.selected !== null) this.drawRow(this.selected, frames[this.selected])
  }

  private drawRow(at: number, frame: FrameRow | undefined): void {
    if (frame === undefined) return
    const row = this.rows.get(at) ?? this.createRow(at, frame)
    const isSelected = String(at === this.selected)
    if (row.ariaSelected !== isSelected) row.ariaSelected = isSelected
    if (row.ariaSetSize !== String(this.count)) row.ariaSetSize = String(this.count)
  }

  private createRow(at: number, { time, event, data }: FrameRow): HTMLElement {
    const row = document.createElement('div')
    row.className = 'live-frame'
    row.id = rowId(at)
    row.role = 'option'
    row.ariaPosInSet = String(at + 1)
    row.ariaSelected = 'false'
    row.style.transform = `translateY(${at * FRAME_ROW_HEIGHT}px)`
    const cells = [
      String(at),
      showDuration(time),
      event === '' ? data.slice(0, LONGEST_CELL) : event,
      event === '' ? '' : data.slice(0, LONGEST_CELL),
    ]
    for (const text of cells) {
      const cell = document.createElement('span')
      cell.textContent = text
      row.append(cell)
    }
    this.space.append(row)
    this.rows.set(at, row)
    return row
  }
}

export const rowId = (at: number): string => `live-frame-${at}`
