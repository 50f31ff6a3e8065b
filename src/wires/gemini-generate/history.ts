import { dropped, type Loss } from '../../protocol/loss.ts'
import type { InputItem } from '../../protocol/request.ts'
import type { ReasoningInput } from '../turns.ts'
import type { Target } from '../wire.ts'
import { type Mark, type Payload, readPayload, splitText } from './signatures.ts'
import type { Part } from './wire.ts'

/** What goes back with the items of a history, by their index in `input`. */
export interface Signed {
  readonly texts: ReadonlyMap<number, readonly Mark[]>
  readonly calls: ReadonlyMap<number, string>
  readonly images: ReadonlyMap<number, { readonly mimeType: string; readonly signature: string }>
  /** What reasoning items become themselves. */
  readonly thoughts: ReadonlyMap<number, readonly Part[]>
  readonly losses: readonly Loss[]
}

const isAnswer = (item: InputItem): boolean => item.type === 'message' && item.role === 'assistant'

const isImage = (item: InputItem): boolean => item.type === 'other' && item.item.type === 'image_generation_call'

const isCall = (item: InputItem): boolean => item.type === 'function_call' || item.type === 'custom_tool_call'

/** A turn ends where a user speaks or a tool answers. */
const endsTurn = (item: InputItem): boolean =>
  item.type === 'function_call_output' ||
  item.type === 'custom_tool_call_output' ||
  (item.type === 'message' && item.role !== 'assistant')

/** The nearest item of a kind in the same turn, from an index on in one direction; -1 where there is none. */
function nearest(input: readonly InputItem[], from: number, by: 1 | -1, is: (item: InputItem) => boolean): number {
  for (let at = from + by; at >= 0 && at < input.length; at += by) {
    const item = input[at] as InputItem
    if (is(item)) return at
    if (endsTurn(item)) return -1
  }
  return -1
}

/** The call that a signature belongs to: of that id in this turn, or else the next one. */
function signedCall(input: readonly InputItem[], from: number, id: string): number {
  const named = (item: InputItem): boolean => isCall(item) && 'call_id' in item && item.call_id === id
  if (id !== '') {
    for (const by of [1, -1] as const) {
      const at = nearest(input, from, by, named)
      if (at >= 0) return at
    }
  }
  return nearest(input, from, 1, isCall)
}

const summaryOf = ({ summary, content }: ReasoningInput): string => (summary.length > 0 ? summary : content).join('')

/** Where each sealed signature goes back to (wires.md 1.4). */
export function readHistory(input: readonly InputItem[], open: Target['open']): Signed {
  const texts = new Map<number, readonly Mark[]>()
  const calls = new Map<number, string>()
  const images = new Map<number, { readonly mimeType: string; readonly signature: string }>()
  const thoughts = new Map<number, readonly Part[]>()
  const losses: Loss[] = []

  /** Puts one payload where it belongs; false where that is gone. */
  const put = (payload: Payload, item: ReasoningInput, at: number): boolean => {
    switch (payload.on) {
      case 'thought':
        thoughts.set(at, splitText(summaryOf(item), payload.marks, true))
        return true
      case 'parts':
        thoughts.set(at, payload.parts)
        return true
      case 'text': {
        const target = nearest(input, at, -1, isAnswer)
        if (target >= 0) texts.set(target, payload.marks)
        return target >= 0
      }
      case 'image': {
        const target = nearest(input, at, -1, isImage)
        if (target >= 0) images.set(target, payload)
        return target >= 0
      }
      case 'call': {
        const target = signedCall(input, at, payload.id)
        if (target >= 0) calls.set(target, payload.signature)
        return target >= 0
      }
    }
  }

  input.forEach((item, at) => {
    if (item.type !== 'reasoning') return
    const place = `input[${at}]`
    if (item.encrypted_content === null) {
      losses.push(dropped(place, 'Gemini takes back signed thoughts only'))
      return
    }
    const payload = readPayload(open(item.encrypted_content))
    if (payload === null) losses.push(dropped(place, 'its encrypted_content is another upstream’s, or damaged'))
    else if (!put(payload, item, at)) losses.push(dropped(place, 'what it signed is not in the input'))
  })
  return { texts, calls, images, thoughts, losses }
}
