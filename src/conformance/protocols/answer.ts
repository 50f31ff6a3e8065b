import { EMPTY_LIST, type List, listAppend, listToArray } from '../../collections/list.ts'
import { mapGet, mapSet, mapValues, type SortedMap } from '../../collections/sorted-map.ts'
import { type Machine, NOTHING } from '../../machine/machine.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { isCompleteJson, isNonEmptyString, isObject, parseJson } from '../../text/json.ts'
import { show } from '../rules.ts'
import { isCount } from '../schema.ts'

/** The rules of streams and bodies that are not of the Responses API. Their names are part of the public result. */
export const ANSWER_RULES = {
  frame: 'each frame is a JSON object with the members of its protocol',
  event: 'each event is one of the protocol, and its event line names it',
  order: 'events are in the order of the protocol, and what is opened is closed',
  index: 'indices count up from 0, and refer to what is open',
  identity: 'id, model and time of an answer never change',
  text: 'text has no cut characters, in any of its pieces',
  reasoning: 'reasoning has the signature without which a later turn cannot repeat it',
  call: 'a call has a name and an id that never change, and its arguments are JSON',
  citation: 'a citation has a source, and a range inside the text',
  finish: 'an answer has one reason for its end, which fits its content',
  usage: 'usage is sent once, with counts whose total is their sum',
  end: 'a stream ends as its protocol ends, and nothing follows',
  error: 'an error has the form of its protocol',
} as const

type AnswerRule = keyof typeof ANSWER_RULES

interface AnswerViolation {
  readonly rule: AnswerRule
  readonly message: string
}

export type AnswerReport = (rule: AnswerRule, message: string) => void

interface AnsweredCall {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

export interface AnswerUsage {
  readonly input: number
  readonly output: number
}

/** The contents of an answer, in the same form for each protocol, streamed or not. */
export interface AnswerContents {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly AnsweredCall[]
  /** Source and range of each citation. */
  readonly citations: readonly string[]
  /** The reason for the end, in the word of the protocol; null: none was sent. */
  readonly finish: string | null
  readonly usage: AnswerUsage | null
  /** The answer ended with an error. */
  readonly failed: boolean
}

/** The state that the checks of all protocols share, of a stream or of a body that is read as one. */
export interface AnswerState {
  readonly frames: number
  readonly id: string | null
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: SortedMap<number, AnsweredCall>
  readonly citations: List<string>
  readonly finish: string | null
  readonly usage: AnswerUsage | null
  readonly failed: boolean
  /** The terminal event of the protocol was received. */
  readonly ended: boolean
}

export const INITIAL_ANSWER: AnswerState = {
  frames: 0,
  id: null,
  text: '',
  reasoning: '',
  refusal: '',
  calls: null,
  citations: EMPTY_LIST,
  finish: null,
  usage: null,
  failed: false,
  ended: false,
}

export const toContents = (state: AnswerState): AnswerContents => ({
  text: state.text,
  reasoning: state.reasoning,
  refusal: state.refusal,
  calls: mapValues(state.calls),
  citations: listToArray(state.citations),
  finish: state.finish,
  usage: state.usage,
  failed: state.failed,
})

/** One message of a stream: a server-sent event, or a line of NDJSON, as a reader outside of the engine found it. */
export interface AnswerFrame {
  /** The name in the event line; empty if there is none. */
  readonly event: string
  readonly data: string
}

export type FrameFormat = 'sse' | 'ndjson'

/** The rules of one protocol. A whole body is read with the same state as a stream. */
export interface ProtocolRules<State extends AnswerState> {
  readonly format: FrameFormat
  readonly initial: State
  readonly streamType: RegExp
  /** Applies one JSON frame. The terminator `[DONE]` reaches `done`. */
  frame(state: State, value: JsonRecord, report: AnswerReport, event: string): State
  done(state: State, report: AnswerReport): State
  /** Reports what is missing at the end of a stream. */
  end(state: State, report: AnswerReport): void
  body(value: JsonRecord, report: AnswerReport): AnswerState
}

/** The checker of streams of a protocol: one frame in, its violations out. */
export function checkAnswerStream<State extends AnswerState>(
  rules: ProtocolRules<State>,
): Machine<State, AnswerFrame, AnswerViolation> {
  return {
    initial: rules.initial,

    step(state, frame) {
      const found: AnswerViolation[] = []
      const report = into(found)
      const next = { ...applyFrame(rules, state, frame, report), frames: state.frames + 1 }
      return { state: next, events: found.length === 0 ? NOTHING : found }
    },

    end(state) {
      const found: AnswerViolation[] = []
      const report = into(found)
      if (state.frames === 0) report('end', 'the stream is empty')
      else rules.end(state, report)
      checkTexts(state, report)
      return found
    },
  }
}

const into =
  (found: AnswerViolation[]): AnswerReport =>
  (rule, message) => {
    found.push({ rule, message })
  }

function applyFrame<State extends AnswerState>(
  rules: ProtocolRules<State>,
  state: State,
  frame: AnswerFrame,
  report: AnswerReport,
): State {
  if (frame.data.trim() === '[DONE]') return rules.done(state, report)
  const value = parseJson(frame.data)
  if (isObject(value)) return rules.frame(state, value, report, frame.event)
  report('frame', `not a JSON object: ${show(frame.data)}`)
  return state
}

/** Checks a whole body, and returns its contents. */
export function checkWholeAnswer<State extends AnswerState>(
  rules: ProtocolRules<State>,
  value: unknown,
): { readonly violations: readonly AnswerViolation[]; readonly summary: AnswerContents } {
  const found: AnswerViolation[] = []
  const report = into(found)
  if (!isObject(value)) {
    report('frame', `the body is ${show(value)}`)
    return { violations: found, summary: toContents(INITIAL_ANSWER) }
  }
  const state = rules.body(value, report)
  checkTexts(state, report)
  return { violations: found, summary: toContents(state) }
}

// ---------------------------------------------------------------- shared by the protocols

const REPLACEMENT = '\ufffd'

/** A character that was cut in its bytes is a replacement character, one that was cut in its units a lone surrogate. */
export const hasCutCharacter = (text: string): boolean => text.includes(REPLACEMENT) || !isWellFormed(text)

const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

/**
 * The halves of a character in two pieces are one character again only where texts are joined in UTF-16 units. A client
 * in Python, Go or Rust shows two replacement characters, or fails.
 */
export const pieceFault = (piece: string): string | null =>
  isWellFormed(piece) ? null : `a piece ends or begins inside a character: ${show(piece)}`

function checkTexts(state: AnswerState, report: AnswerReport): void {
  for (const [what, text] of [
    ['text', state.text],
    ['reasoning', state.reasoning],
    ['refusal', state.refusal],
  ] as const)
    if (hasCutCharacter(text)) report('text', `the ${what} has a cut character: ${show(text)}`)
  const ids = mapValues(state.calls).map(({ id }) => id)
  if (new Set(ids).size < ids.length) report('call', 'two calls have the same id')
}

/** A text that may be missing. */
export function textOf(value: unknown, what: string, report: AnswerReport): string {
  if (typeof value === 'string') {
    const fault = pieceFault(value)
    if (fault !== null) report('text', `${what}: ${fault}`)
    return value
  }
  if (value !== undefined && value !== null) report('frame', `${what} is ${show(value)}`)
  return ''
}

export const setCall = <State extends AnswerState>(state: State, at: number, call: AnsweredCall): State => ({
  ...state,
  calls: mapSet(state.calls, at, call),
})

export const callAt = ({ calls }: AnswerState, at: number): AnsweredCall | undefined => mapGet(calls, at)

function checkCall({ id, name, arguments: args }: AnsweredCall, isCut: boolean, report: AnswerReport): void {
  if (id === '') report('call', `the call of ${show(name)} has no id`)
  if (name === '') report('call', `the call ${show(id)} has no name`)
  if (!isCut && !isCompleteJson(args)) report('call', `the arguments of ${show(name)} are not JSON: ${show(args)}`)
}

export const checkCalls = (state: AnswerState, isCut: boolean, report: AnswerReport): void => {
  for (const call of mapValues(state.calls)) checkCall(call, isCut, report)
}

export const appendCitation = <State extends AnswerState>(state: State, citation: string): State => ({
  ...state,
  citations: listAppend(state.citations, citation),
})

/** Reports an id that is missing or changed. */
export function sameId<State extends AnswerState>(state: State, id: unknown, report: AnswerReport): State {
  if (!isNonEmptyString(id)) {
    report('identity', `the id is ${show(id)}`)
    return state
  }
  if (state.id !== null && state.id !== id) report('identity', `the id was ${show(state.id)} and is ${show(id)}`)
  return { ...state, id }
}

/** Sets the reason for the end; reports a second one, and a word that the protocol does not have. */
export function finished<State extends AnswerState>(
  state: State,
  reason: unknown,
  words: readonly string[],
  report: AnswerReport,
): State {
  if (state.finish !== null) report('finish', `a second reason for the end, ${show(reason)}`)
  if (typeof reason !== 'string' || !words.includes(reason)) report('finish', `unknown: ${show(reason)}`)
  return { ...state, finish: typeof reason === 'string' ? reason : '' }
}

/**
 * Sets the usage. `names`: the members with input (`cached` those beside it) and output; `total` is left out where the
 * protocol has none.
 */
export function setUsage<State extends AnswerState>(
  state: State,
  usage: JsonRecord,
  names: {
    readonly input: string
    readonly cached?: readonly string[]
    readonly output: readonly string[]
    readonly beside?: readonly string[]
    readonly total?: string
  },
  report: AnswerReport,
): State {
  const { input, cached = [], output, beside = [], total } = names
  const [first] = output
  for (const name of [input, first ?? '', ...(total === undefined ? [] : [total])])
    if (!isCount(usage[name])) report('usage', `${name} is ${show(usage[name])}`)
  const countOf = (name: string): number => (isCount(usage[name]) ? (usage[name] as number) : 0)
  const sum = (all: readonly string[]): number => all.reduce((result, name) => result + countOf(name), 0)
  const counts = { input: sum([input, ...cached]), output: sum(output) }
  if (total !== undefined && isCount(usage[total])) {
    const expected = counts.input + counts.output + sum(beside)
    if (countOf(total) !== expected)
      report('usage', `${total} is ${countOf(total)}, but the counts sum up to ${expected}`)
  }
  return { ...state, usage: counts }
}

/** The error of a stream or a body of a protocol. */
export function checkErrorMessage(error: unknown, report: AnswerReport): void {
  const message = isObject(error) ? error.message : error
  if (!isNonEmptyString(message)) report('error', `an error without a message: ${show(message)}`)
}
