import type { Delta } from '../protocol/delta.ts'
import type { Event, EventType } from '../protocol/event.ts'
import type { AlignedFrame, AlignedTarget, AlignmentSteps } from './align.ts'

/** The text of one content part or tool call, as the deltas of one key add to it. */
export type FlowKind = 'text' | 'refusal' | 'reasoning' | 'summary' | 'call'

/** A piece of a flow: the text of one delta, or of one event. Positions count UTF-16 units from the start of the flow. */
export interface FlowPiece {
  readonly flow: string
  readonly kind: FlowKind
  readonly start: number
  readonly end: number
  readonly text: string
  /** The place of the delta in the recording, or of the event in the target. */
  readonly row: number
  readonly index: number
}

/** The text that a delta adds, with the name of its flow; null if it adds none. */
function textOfDelta(delta: Delta): Pick<FlowPiece, 'flow' | 'kind' | 'text'> | null {
  switch (delta.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return delta.text === ''
        ? null
        : { flow: JSON.stringify([delta.kind, delta.key, delta.part]), kind: delta.kind, text: delta.text }
    case 'call':
      return delta.arguments === ''
        ? null
        : { flow: JSON.stringify(['call', delta.key]), kind: 'call', text: delta.arguments }
    default:
      return null
  }
}

/** Returns the pieces of text of a recording, in the order of its deltas. */
export function* piecesOfFrames(frames: readonly AlignedFrame[]): AlignmentSteps<readonly FlowPiece[]> {
  const lengths = new Map<string, number>()
  const found: FlowPiece[] = []
  for (const [row, { deltas }] of frames.entries()) {
    deltas.forEach((delta, index) => {
      const added = textOfDelta(delta)
      if (added === null) return
      const start = lengths.get(added.flow) ?? 0
      const end = start + added.text.length
      lengths.set(added.flow, end)
      found.push({ ...added, start, end, row, index })
    })
    yield
  }
  return found
}

export interface TargetPiece extends FlowPiece {
  /** The output item, the type of event and the part that the event belongs to. */
  readonly part: string
  /** The position of the piece in the text of that part. */
  readonly at: number
}

/** The kinds of flows that each event of text may carry, the usual one first. */
const CARRIES: ReadonlyMap<EventType, readonly FlowKind[]> = new Map<EventType, readonly FlowKind[]>([
  ['output_text.delta', ['text', 'refusal', 'reasoning']],
  ['refusal.delta', ['refusal', 'text']],
  ['reasoning_text.delta', ['reasoning', 'summary']],
  ['reasoning_summary_text.delta', ['summary', 'reasoning']],
  ['function_call_arguments.delta', ['call']],
  ['custom_tool_call_input.delta', ['call']],
])

/** The output item and part that an event of text belongs to. */
function partOf(event: Event): string {
  if (!('output_index' in event)) return ''
  const part = 'content_index' in event ? event.content_index : 'summary_index' in event ? event.summary_index : ''
  return `${event.output_index}/${event.type}/${part}`
}

interface Pending {
  readonly kind: FlowKind
  /** The text that no event has carried yet, and its position in the flow. */
  text: string
  start: number
}

/**
 * Returns the pieces of text in the events of a target, each with its position in the flow of the recording that it
 * continues. The text of an event is taken from the flow that the earlier events of its part were taken from, and
 * otherwise from the first flow whose next text it is. Text that no flow contains, such as the input of a custom tool
 * in another form, is left out.
 */
export function* piecesOfTarget(
  pieces: readonly FlowPiece[],
  { rows }: AlignedTarget,
): AlignmentSteps<readonly TargetPiece[]> {
  const pending = new Map<string, Pending>()
  const sources = new Map<string, string>()
  const lengths = new Map<string, number>()
  const found: TargetPiece[] = []
  let next = 0
  for (const [row, events] of rows.entries()) {
    for (; pieces[next] !== undefined && (pieces[next] as FlowPiece).row <= row; next += 1) {
      addPending(pending, pieces[next] as FlowPiece)
    }
    events.forEach(({ event }, index) => {
      if (event === null || !('delta' in event) || event.delta === '') return
      const part = partOf(event)
      const at = lengths.get(part) ?? 0
      lengths.set(part, at + event.delta.length)
      const flow = flowOf(pending, event.delta, sources.get(part), CARRIES.get(event.type) ?? [])
      if (flow === null) return
      sources.set(part, flow)
      found.push({ ...takePending(pending.get(flow) as Pending, event.delta), flow, row, index, part, at })
    })
    yield
  }
  return found
}

function addPending(pending: Map<string, Pending>, { flow, kind, start, text }: FlowPiece): void {
  const waiting = pending.get(flow)
  if (waiting === undefined) pending.set(flow, { kind, text, start })
  else waiting.text += text
}

function flowOf(
  pending: ReadonlyMap<string, Pending>,
  text: string,
  source: string | undefined,
  kinds: readonly FlowKind[],
): string | null {
  if (source !== undefined && pending.get(source)?.text.includes(text) === true) return source
  for (const kind of kinds) {
    for (const [flow, waiting] of pending) if (waiting.kind === kind && waiting.text.startsWith(text)) return flow
  }
  for (const kind of kinds) {
    for (const [flow, waiting] of pending) if (waiting.kind === kind && waiting.text.includes(text)) return flow
  }
  return null
}

/** Text before the piece was dropped by the engine, such as white space around reasoning. */
function takePending(waiting: Pending, text: string): Pick<FlowPiece, 'kind' | 'start' | 'end' | 'text'> {
  const at = waiting.text.indexOf(text)
  const start = waiting.start + at
  const end = start + text.length
  waiting.text = waiting.text.slice(at + text.length)
  waiting.start = end
  return { kind: waiting.kind, start, end, text }
}
