import { type CheckRule, checkStream } from '../../src/dialects/check-stream.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import { write } from '../engine/run-dialect.ts'
import { type Kind, toEventList } from '../responses/response-events.ts'

/** The streams of `response-events.ts` as text, and functions that break them. */

// biome-ignore lint/suspicious/noExplicitAny: tests break these fields in arbitrary ways
export type Loose = any

export const { beta, openai } = DIALECTS

export const BETA_KINDS: readonly Kind[] = ['reasoning', 'message', 'call', 'call']
export const ALL_KINDS: readonly Kind[] = ['reasoning', 'search', 'refused', 'call', 'custom']

type Ending = Parameters<typeof toEventList>[1]

export const textOf = (dialect: Dialect, kinds: readonly Kind[], status: Ending = 'completed'): string =>
  run(write(dialect), toEventList(kinds, status)).join('')

export const OPENAI = textOf(openai, ALL_KINDS)
export const BETA = textOf(beta, BETA_KINDS)

export const rulesOf = (text: string, dialect: Dialect): readonly CheckRule[] =>
  checkStream(text, dialect).map(({ rule }) => rule)

export const toEvents = (text: string): Loose[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))

const toText = (events: readonly Loose[], { numbered, eventLines }: Dialect): string => {
  const frames = events.map((event, sequence_number) => {
    const line = eventLines ? `event: ${event.type}\n` : ''
    return `${line}data: ${JSON.stringify(numbered ? { ...event, sequence_number } : event)}\n\n`
  })
  return `${frames.join('')}data: [DONE]\n\n`
}

export const corrupted = (text: string, dialect: Dialect, spoil: (events: Loose[]) => unknown): string => {
  const events = toEvents(text)
  spoil(events)
  return toText(events, dialect)
}

export const of = (events: Loose[], type: string, nth = 0): Loose => events.filter((event) => event.type === type)[nth]
export const offsetOf = (events: Loose[], type: string): number => events.findIndex((event) => event.type === type)
