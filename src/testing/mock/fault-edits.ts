import type { JsonObject, JsonRecord } from '../../protocol/json.ts'
import { isObject, parseJson, toArray } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'

/** The parts of defects: what a defect is, and edits of frames and values. */

/** One frame: an SSE message, or a line of NDJSON. */
export interface MockFrame {
  readonly event: string
  readonly data: string
}

export type Edit = (frames: readonly MockFrame[]) => readonly MockFrame[]

/** An answer before it is sent. `text`: the bytes of a stream as text. */
interface FaultyParts {
  readonly frames?: Edit
  readonly text?: (text: string) => string
  readonly body?: (body: JsonRecord) => unknown
  /** The request as the server understands it, after it was found valid. */
  readonly request?: (body: JsonObject) => JsonObject
  /** The pieces of a stream are sent together, when the last one is due. */
  readonly held?: true
  /** Of answers with an error. */
  readonly error?: (body: JsonRecord) => { readonly status?: number; readonly type?: string; readonly text: string }
  /** The content type of streams. */
  readonly type?: string
}

export interface MockFault extends FaultyParts {
  readonly wire: WireName
  readonly about: string
  /** The row of `millrace check` whose request shows it, and the rule that it breaks. */
  readonly row: string
  readonly rule: string
  /** Rows without which the row shows nothing. */
  readonly beside?: readonly string[]
}

export const objectOf = ({ data }: MockFrame): JsonRecord => {
  const value = parseJson(data)
  return isObject(value) ? value : {}
}

export const withFrameValue = (frame: MockFrame, value: unknown): MockFrame => ({
  ...frame,
  data: JSON.stringify(value),
})

const nameIn = (frame: MockFrame): unknown => {
  const value = objectOf(frame)
  return value.type ?? value.event_type
}

export type FrameTest = (frame: MockFrame) => boolean

export const isNamed =
  (name: string): FrameTest =>
  (frame) =>
    nameIn(frame) === name

export const isDoneFrame: FrameTest = ({ data }) => data === '[DONE]'

/** The last frame that has an object at a member. */
export const hasObject =
  (member: string): FrameTest =>
  (frame) =>
    isObject(objectOf(frame)[member])

export const editFirst =
  (test: FrameTest, change: (frame: MockFrame) => readonly MockFrame[]): Edit =>
  (frames) => {
    const place = frames.findIndex(test)
    return place === -1 ? frames : frames.flatMap((frame, at) => (at === place ? change(frame) : [frame]))
  }

export const editLast =
  (test: FrameTest, change: (frame: MockFrame) => readonly MockFrame[]): Edit =>
  (frames) => {
    const place = frames.findLastIndex(test)
    return place === -1 ? frames : frames.flatMap((frame, at) => (at === place ? change(frame) : [frame]))
  }

export const withoutFrame = (test: FrameTest): Edit => editFirst(test, () => [])
export const frameTwice = (test: FrameTest): Edit => editFirst(test, (frame) => [frame, frame])
export const changeFirst = (test: FrameTest, edit: (value: JsonRecord) => unknown): Edit =>
  editFirst(test, (frame) => [withFrameValue(frame, edit(objectOf(frame)))])
export const changeLast = (test: FrameTest, edit: (value: JsonRecord) => unknown): Edit =>
  editLast(test, (frame) => [withFrameValue(frame, edit(objectOf(frame)))])
export const afterLast = (test: FrameTest, more: (frame: MockFrame) => MockFrame): Edit =>
  editLast(test, (frame) => [frame, more(frame)])

/** Replaces the value at a path: names of members, and places in lists. */
function set(value: unknown, [key, ...rest]: readonly (string | number)[], edit: (old: unknown) => unknown): unknown {
  if (key === undefined) return edit(value)
  if (typeof key === 'number') return toArray(value).map((one, i) => (i === key ? set(one, rest, edit) : one))
  const object = isObject(value) ? value : {}
  return { ...object, [key]: set(object[key], rest, edit) }
}

export const atPath =
  (path: readonly (string | number)[], to: unknown | ((old: unknown) => unknown)) =>
  (value: JsonRecord): unknown =>
    set(value, path, typeof to === 'function' ? (to as (old: unknown) => unknown) : () => to)

export const dropMember =
  (member: string) =>
  (value: JsonRecord): JsonRecord =>
    Object.fromEntries(Object.entries(value).filter(([name]) => name !== member))

/** Changes each object of a value, the inner ones first. */
export const everywhere =
  (edit: (object: JsonRecord) => JsonRecord) =>
  (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(everywhere(edit))
    if (!isObject(value)) return value
    return edit(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, everywhere(edit)(inner)])))
  }

export const plusOne = (old: unknown): number => Number(old) + 1
export const otherText = (old: unknown): string => `${String(old)}, but other`
export const firstHalf = (old: unknown): string => String(old).slice(0, 4)
export const bytesBefore = (text: string, offset: number): number =>
  new TextEncoder().encode(text.slice(0, offset)).length
