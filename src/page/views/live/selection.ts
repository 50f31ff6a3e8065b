import type { AnswerRecord } from './answer/answer-record.ts'
import type { Lane, Tick } from './answer/lanes.ts'
import { nearestTick } from './drawing/lanes-painter.ts'
import { showDuration } from './drawing/time-axis.ts'

/** The selected tick and frame. A frame may have no tick, and the end of the bytes has no frame. */
export interface LiveSelection {
  readonly tick: number | null
  readonly frame: number | null
}

export const NO_SELECTION: LiveSelection = { tick: null, frame: null }

export function selectTick({ ticks }: AnswerRecord, at: number): LiveSelection {
  const tick = ticks[Math.min(Math.max(at, 0), ticks.length - 1)]
  if (tick === undefined) return NO_SELECTION
  return { tick: Math.min(Math.max(at, 0), ticks.length - 1), frame: tick.frame < 0 ? null : tick.frame }
}

export function selectFrame({ frames }: AnswerRecord, at: number): LiveSelection {
  const place = Math.min(Math.max(at, 0), frames.length - 1)
  const frame = frames[place]
  if (frame === undefined) return NO_SELECTION
  return { frame: place, tick: frame.lastTick > frame.firstTick ? frame.firstTick : null }
}

/** The tick of the lane above (-1) or below (1) that is nearest in time. */
export function selectLane(record: AnswerRecord, { tick }: LiveSelection, step: -1 | 1): LiveSelection {
  const { lanes, ticks } = record
  const from = tick === null ? undefined : ticks[tick]
  if (from === undefined) return selectTick(record, 0)
  for (let at = from.lane + step; at >= 0 && at < lanes.length; at += step) {
    const nearest = nearestTick(lanes[at] as Lane, ticks, from.time)
    if (nearest !== null) return selectTick(record, nearest)
  }
  return selectTick(record, tick ?? 0)
}

const LONGEST_QUOTE = 80

/** One line about a tick: its time, the item, and its text. */
export function describeTick({ lanes }: AnswerRecord, tick: Tick, title: (lane: Lane) => string): string {
  const lane = lanes[tick.lane] as Lane
  const { text } = tick
  const quote = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
  const content = tick.kind === 'delta' ? JSON.stringify(quote) : tick.kind
  const frame = tick.frame < 0 ? 'end' : `frame ${tick.frame}`
  return `${showDuration(tick.time)} · ${title(lane)} · ${content} · ${frame}`
}
