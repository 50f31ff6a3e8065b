import type { Event, EventOf } from '../../../../protocol/event.ts'
import type { Item } from '../../../../protocol/item.ts'
import type { Usage } from '../../../../protocol/usage.ts'
import type { ReadFrame } from './answer-reader.ts'
import {
  type FrameRow,
  kindOfItem,
  type Lane,
  type LanePart,
  type PartKind,
  type Tick,
  type TickKind,
} from './lanes.ts'
import { RateCounts } from './rate-counts.ts'

/** How an answer ended: as its last event reports, without a last event, or because the user stopped it. */
type AnswerEnding = 'completed' | 'incomplete' | 'failed' | 'cut' | 'stopped'

interface AnswerFailure {
  readonly code: string
  readonly message: string
}

/** The first characters of a base64 text, by the format of its image. */
const BEGINNINGS: readonly (readonly [beginning: string, type: string])[] = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['UklGR', 'webp'],
  ['R0lGOD', 'gif'],
]

/** A longer image is not shown: its address is a text of the page. */
const LONGEST = 16 * 1024 * 1024

/** The address of a generated image, from its base64 text; null if it is no image that the page shows. */
function imageUrlOf(result: unknown): string | null {
  if (typeof result !== 'string' || result.length > LONGEST) return null
  const type = BEGINNINGS.find(([beginning]) => result.startsWith(beginning))?.[1]
  return type === undefined ? null : `data:image/${type};base64,${result}`
}

/**
 * One answer as it arrived: its frames, and the lanes and ticks that they became. Mutable state of one stream, which
 * only grows: a view draws what was added since it last looked.
 */
export class AnswerRecord {
  readonly frames: FrameRow[] = []
  readonly lanes: Lane[] = []
  readonly ticks: Tick[] = []
  readonly rates = new RateCounts()
  /** Times of the first byte and the first text; null before them. */
  firstByte: number | null = null
  firstText: number | null = null
  /** Time of the last addition. */
  now = 0
  bytes = 0
  model = ''
  usage: Usage | null = null
  failure: AnswerFailure | null = null
  ending: AnswerEnding | null = null
  private readonly laneOf = new Map<number, Lane>()

  /** Counts received bytes. `time`: milliseconds after the request was sent. */
  addBytes(size: number, time: number): void {
    if (size === 0) return
    this.firstByte ??= time
    this.now = time
    this.bytes += size
    this.rates.add('bytes', time, size)
  }

  addFrames(read: readonly ReadFrame[], time: number): void {
    this.now = time
    for (const { frame, events } of read) {
      const firstTick = this.ticks.length
      const at = frame === null ? -1 : this.frames.length
      const row: FrameRow | null = frame === null ? null : { ...frame, time, firstTick, lastTick: firstTick }
      if (row !== null) {
        this.frames.push(row)
        this.rates.add('frames', time, 1)
      }
      for (const event of events) this.apply(event, at, time)
      if (row !== null) row.lastTick = this.ticks.length
    }
  }

  /** Ends the record. `stopped`: the user ended the answer. */
  close(time: number, stopped: boolean): void {
    this.now = time
    this.ending ??= stopped ? 'stopped' : 'cut'
    for (const lane of this.lanes) {
      if (lane.ended !== null) continue
      lane.ended = time
      lane.status = 'incomplete'
    }
  }

  private apply(event: Event, frame: number, time: number): void {
    switch (event.type) {
      case 'created':
      case 'in_progress':
        this.model = event.response.model
        return
      case 'completed':
      case 'incomplete':
      case 'failed':
        this.finish(event)
        return
      case 'error':
        this.failure = { code: event.code, message: event.message }
        this.ending = 'failed'
        return
      case 'output_item.added':
        this.open(event.output_index, event.item, time)
        return
      case 'output_item.done':
        this.closeLane(event.output_index, event.item, time)
        return
      default:
        this.applyInside(event, frame, time)
    }
  }

  private finish({ type, response }: EventOf<'completed' | 'incomplete' | 'failed'>): void {
    this.model = response.model
    this.usage = response.usage
    this.ending = type
    if (response.error !== null) this.failure = response.error
  }

  private open(index: number, item: Item, time: number): void {
    const lane: Lane = {
      position: this.lanes.length,
      kind: kindOfItem(item.type),
      type: item.type,
      name: nameOf(item),
      status: 'in_progress',
      began: time,
      ended: null,
      ticks: [],
      parts: [],
      size: 0,
      citationCount: 0,
      detail: '',
      image: null,
    }
    this.laneOf.set(index, lane)
    this.lanes.push(lane)
  }

  private closeLane(index: number, item: Item, time: number): void {
    const lane = this.laneOf.get(index)
    if (lane === undefined) return
    lane.ended = time
    lane.status = 'status' in item ? item.status : 'completed'
    lane.name = nameOf(item)
    if ('fields' in item) {
      const { result, ...others } = item.fields
      lane.image = imageUrlOf(result)
      lane.detail = JSON.stringify(lane.image === null ? item.fields : others)
    } else if (item.type === 'reasoning' && item.encrypted_content !== null) lane.detail = 'with encrypted content'
  }

  private applyInside(event: InsideEvent, frame: number, time: number): void {
    const lane = this.laneOf.get(event.output_index)
    if (lane === undefined) return
    if ('delta' in event) this.addText(lane, partOf(lane, event), event.delta, { frame, time })
    else if (event.type === 'output_text.annotation.added') {
      const at = partOf(lane, event)
      lane.parts[at]?.citations.push(event.annotation)
      lane.citationCount += 1
      this.addTick(lane, 'citation', { frame, time, part: at, start: -1, end: -1, text: '' })
    } else if (event.type === 'item.progress' || event.type.startsWith('web_search_call.'))
      this.addTick(lane, 'progress', { frame, time, part: -1, start: -1, end: -1, text: '' })
  }

  private addText(lane: Lane, at: number, text: string, when: Pick<Tick, 'frame' | 'time'>): void {
    const part = lane.parts[at]
    if (part === undefined || text === '') return
    const start = part.length
    part.pieces.push(text)
    part.length += text.length
    lane.size += text.length
    this.firstText ??= when.time
    this.rates.add('characters', when.time, text.length)
    this.addTick(lane, 'delta', { ...when, part: at, start, end: start + text.length, text })
  }

  private addTick(lane: Lane, kind: TickKind, place: Omit<Tick, 'lane' | 'kind'>): void {
    lane.ticks.push(this.ticks.length)
    this.ticks.push({ ...place, kind, lane: lane.position })
  }
}

/** The events that belong to an item which is open. */
type InsideEvent = Exclude<
  Event,
  EventOf<'created' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'error'> | { readonly item: Item }
>

const PART_KINDS: Partial<Readonly<Record<Event['type'], PartKind>>> = {
  'output_text.delta': 'text',
  'output_text.annotation.added': 'text',
  'refusal.delta': 'refusal',
  'reasoning_text.delta': 'reasoning',
  'reasoning_summary_text.delta': 'summary',
  'function_call_arguments.delta': 'arguments',
  'custom_tool_call_input.delta': 'input',
}

/** Returns the position of the part that an event belongs to, and opens it at its first event. */
function partOf({ parts }: Lane, event: InsideEvent): number {
  const kind = PART_KINDS[event.type] ?? 'text'
  const index = 'content_index' in event ? event.content_index : 'summary_index' in event ? event.summary_index : 0
  const last = parts.at(-1)
  if (last?.kind === kind && last.index === index) return parts.length - 1
  const found = parts.findIndex((part) => part.kind === kind && part.index === index)
  if (found >= 0) return found
  const part: LanePart = { kind, index, pieces: [], length: 0, citations: [] }
  return parts.push(part) - 1
}

const nameOf = (item: Item): string =>
  'name' in item ? (item.namespace === undefined ? item.name : `${item.namespace}.${item.name}`) : ''
