import type { AnswerRecord } from '../answer/answer-record.ts'
import type { FrameRow } from '../answer/lanes.ts'
import { showDuration } from './time-axis.ts'

/** The height of a row, in CSS pixels, as in the style sheet. */
const FRAME_ROW_HEIGHT = 22

/** Rows above and below the visible ones. */
const MARGIN = 8

const LONGEST_CELL = 300
const LONGEST_TEXT = 40

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

  draw(record: AnswerRecord, selected: number | null, follows: boolean): void {
    const { frames } = record
    if (frames.length !== this.count) {
      this.count = frames.length
      this.space.style.height = `${this.count * FRAME_ROW_HEIGHT}px`
    }
    if (follows) this.box.scrollTop = this.count * FRAME_ROW_HEIGHT
    this.selected = selected
    this.drawVisible(record)
  }

  /** Scrolls until the row is visible. */
  reveal(at: number): void {
    const { box } = this
    const top = at * FRAME_ROW_HEIGHT
    const isVisible = top >= box.scrollTop && top + FRAME_ROW_HEIGHT <= box.scrollTop + box.clientHeight
    if (!isVisible) box.scrollTop = top - box.clientHeight / 2
  }

  rowsOfPage(): number {
    return Math.max(1, Math.floor(this.box.clientHeight / FRAME_ROW_HEIGHT) - 1)
  }

  private drawVisible(record: AnswerRecord): void {
    const { box, rows } = this
    const { frames } = record
    const first = Math.max(0, Math.floor(box.scrollTop / FRAME_ROW_HEIGHT) - MARGIN)
    const last = Math.min(frames.length, Math.ceil((box.scrollTop + box.clientHeight) / FRAME_ROW_HEIGHT) + MARGIN)
    for (const [at, row] of rows) {
      if ((at >= first && at < last) || at === this.selected) continue
      row.remove()
      rows.delete(at)
    }
    for (let at = first; at < last; at += 1) this.drawRow(at, record)
    // The list refers to its selected row, which is an element even if it is not visible.
    if (this.selected !== null) this.drawRow(this.selected, record)
  }

  private drawRow(at: number, record: AnswerRecord): void {
    const frame = record.frames[at]
    if (frame === undefined) return
    const row = this.rows.get(at) ?? this.createRow(at, frame, record)
    const isSelected = String(at === this.selected)
    if (row.ariaSelected !== isSelected) row.ariaSelected = isSelected
    if (row.ariaSetSize !== String(this.count)) row.ariaSetSize = String(this.count)
  }

  private createRow(at: number, frame: FrameRow, record: AnswerRecord): HTMLElement {
    const row = document.createElement('div')
    row.className = 'live-frame'
    row.id = rowId(at)
    row.role = 'option'
    row.ariaPosInSet = String(at + 1)
    row.ariaSelected = 'false'
    row.style.transform = `translateY(${at * FRAME_ROW_HEIGHT}px)`
    row.append(createCell(String(at), ''), createCell(showDuration(frame.time), ''))
    if (frame.event !== '') row.append(createEvent(frame.event))
    const rest = createCell('', '')
    const added = addedBy(frame, record)
    if (added !== null)
      rest.append(createCell(JSON.stringify(added.text), `live-frame-text live-kind-${added.kind}`), ' ')
    rest.append(frame.data.slice(0, LONGEST_CELL))
    row.append(rest)
    this.space.append(row)
    this.rows.set(at, row)
    return row
  }
}

function createCell(text: string, className: string): HTMLElement {
  const cell = document.createElement('span')
  cell.className = className
  cell.textContent = text
  return cell
}

const PREFIX = /^response\./

/** The common prefix is a part of its own, which narrow lists leave out. */
function createEvent(event: string): HTMLElement {
  const cell = createCell('', 'live-frame-event')
  const prefix = PREFIX.exec(event)?.[0] ?? ''
  cell.append(createCell(prefix, 'live-frame-prefix'), event.slice(prefix.length))
  return cell
}

/** The first text that a frame added: frames of one kind differ in nothing else that fits into a row. */
function addedBy({ firstTick, lastTick }: FrameRow, { ticks, lanes }: AnswerRecord) {
  for (let at = firstTick; at < lastTick; at += 1) {
    const { text = '', lane = -1 } = ticks[at] ?? {}
    const kind = lanes[lane]?.kind
    if (text !== '' && kind !== undefined) return { kind, text: text.slice(0, LONGEST_TEXT) }
  }
  return null
}

export const rowId = (at: number): string => `live-frame-${at}`
