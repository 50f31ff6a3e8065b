import { checkEvents } from '../conformance/check.ts'
import { RULES, type Rule, show } from '../conformance/rules.ts'
import type { CheckState } from '../conformance/state.ts'
import { feed } from '../machine/run.ts'
import { isObject, parseJson } from '../text/json.ts'
import { beta } from './beta.ts'
import { type CheckedFrame, checkFrames, FRAME_RULES, type FrameRule } from './check-sse.ts'
import type { Dialect } from './dialect.ts'
import { type EventName, eventNamesOf } from './event-names.ts'
import { openai } from './openai.ts'

const FIELD_RULES = {
  fields: 'an event has only fields that the dialect describes',
  sequence: 'sequence numbers count up from 0 by 1',
} as const

/** Every rule that a file can break, each in one sentence. */
export const CHECK_RULES = { ...FRAME_RULES, ...FIELD_RULES, ...RULES }

export type CheckRule = Rule | FrameRule | keyof typeof FIELD_RULES

export interface CheckViolation {
  /** Number of the frame from 0; null if the violation concerns the whole stream. */
  readonly event: number | null
  readonly rule: CheckRule
  readonly message: string
}

export interface CheckedStream {
  readonly violations: readonly CheckViolation[]
  readonly events: number
}

/**
 * Returns everything that is wrong with a Responses stream in a dialect: its bytes, its fields, its order. O(n log n).
 */
export function inspectStream(text: string, dialect: Dialect): CheckedStream {
  const steps = inspectInSteps(text, dialect)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Does the same in pieces of one frame, between which a page can draw. */
export function* inspectInSteps(text: string, dialect: Dialect): Generator<undefined, CheckedStream> {
  const { frames, violations } = yield* checkFrames(text, dialect)
  const found: CheckViolation[] = [...violations, ...(dialect.numbered ? checkSequence(frames) : [])]
  const { words, events } = eventNamesOf(dialect)
  const machine = checkEvents(events)
  let state: CheckState = machine.initial
  for (const { number, type, fields } of frames) {
    const word = words.get(type)
    if (word === undefined) {
      found.push({ event: number, rule: 'event', message: `${show(type)} is not an event of this dialect` })
      continue
    }
    for (const message of extraFields(fields, word)) found.push({ event: number, rule: 'fields', message })
    const step = feed(machine, state, [{ type: word.type, fields }])
    state = step.state
    for (const violation of step.events) found.push({ event: number, ...violation })
    yield
  }
  for (const violation of machine.end(state)) found.push({ event: null, ...violation })
  return { violations: inOrder(found), events: frames.length }
}

/** Returns the violations in the text of a Responses stream; none if it is correct. */
export const checkStream = (text: string, dialect: Dialect): readonly CheckViolation[] =>
  inspectStream(text, dialect).violations

const inOrder = (found: readonly CheckViolation[]): readonly CheckViolation[] =>
  found.toSorted((a, b) => (a.event ?? Number.POSITIVE_INFINITY) - (b.event ?? Number.POSITIVE_INFINITY) || 0)

function checkSequence(frames: readonly CheckedFrame[]): readonly CheckViolation[] {
  const found: CheckViolation[] = []
  let expected = 0
  for (const { number, fields } of frames) {
    const { sequence_number: sequence } = fields
    if (sequence !== expected) {
      found.push({
        event: number,
        rule: 'sequence',
        message: `sequence_number is ${show(sequence)}, expected ${expected}`,
      })
    }
    expected = (Number.isInteger(sequence) ? (sequence as number) : expected) + 1
  }
  return found
}

function extraFields(fields: CheckedFrame['fields'], { columns, exact }: EventName): readonly string[] {
  if (!exact) return []
  const extra = Object.keys(fields).filter((key) => key !== 'type' && !columns.includes(key))
  return extra.map((key) => `${show(key)} is not a field of ${show(fields.type)}`)
}

// ---------------------------------------------------------------- detection of the dialect

/**
 * Returns the likely dialect of a stream: only the standard has event lines, numbers, and names that `beta` has not.
 */
export function detectDialect(text: string): Dialect {
  const lines = text.split(/\r?\n/)
  return lines.some(isStandardLine) ? openai : beta
}

const BETA_WORDS = eventNamesOf(beta).words
const OPENAI_WORDS = eventNamesOf(openai).words

function isStandardLine(line: string): boolean {
  if (line.startsWith('event:')) return true
  const fields = line.startsWith('data:') ? parseJson(line.slice('data:'.length)) : undefined
  if (!isObject(fields)) return false
  const { type } = fields
  return 'sequence_number' in fields || (typeof type === 'string' && OPENAI_WORDS.has(type) && !BETA_WORDS.has(type))
}
