import { existsSync, readFileSync } from 'node:fs'
import type { Dialect } from '../../src/dialects/dialect.ts'
import type { BodyCollector, TranslationOptions } from '../../src/engine/answer.ts'
import { createBodyCollector, createTurnCollector } from '../../src/engine/body-collector.ts'
import type { Outcome } from '../../src/engine/outcome.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation, createTurnTranslation } from '../../src/engine/translation.ts'
import type { TurnMachine } from '../../src/engine/turns.ts'
import { parseSettings } from '../../src/host/recording/exchange-format.ts'
import { FIXTURES, framingOf, listRecordings } from '../../src/host/recording/recordings.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Head } from '../../src/protocol/response.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import type { KnownWire, StreamWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** Complete translations with a constant head. */

export const headOf = (name: string): Head => ({
  id: `resp_${name}`,
  created_at: 1_700_000_000,
  model: 'unknown',
  echo: EMPTY_ECHO,
})

export const optionsOf = (dialect: Dialect, quirks: Quirks = {}, name = 'x', wire: StreamWire = WIRES['openai-chat']) =>
  ({ wire, quirks, target: dialectTarget(dialect), head: headOf(name) }) satisfies TranslationOptions

export const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Translates these pieces of an upstream stream to the text of a dialect. */
export function translated(options: TranslationOptions, pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream = createTranslation(options)
  const written = pieces.map((piece) => {
    const bytes = stream.push(piece)
    // Most reads of a few bytes write nothing.
    return bytes.length === 0 ? '' : decoder.decode(bytes, { stream: true })
  })
  return written.join('') + decoder.decode(stream.push('end'))
}

export function collected(options: TranslationOptions, pieces: readonly Uint8Array[]): JsonObject {
  const answer = createBodyCollector(options)
  for (const piece of pieces) answer.push(piece)
  answer.push('end')
  return answer.body()
}

/** Parses the events of a written stream, without its terminator. */
export const eventsOf = (text: string): readonly JsonObject[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))

export interface Fixture {
  readonly wire: KnownWire
  readonly name: string
  readonly stream: Uint8Array
  readonly quirks: Quirks
  /** Returns the URL of the file with this role. */
  readonly at: (role: string) => URL
}

export const ALL_FIXTURES: readonly Fixture[] = Object.values(WIRES).flatMap((wire) =>
  [...listRecordings(wire.name)].sort().map((name): Fixture => {
    const at = (role: string): URL => new URL(`${wire.name}/${name}.${role}`, FIXTURES)
    const stream = new Uint8Array(readFileSync(at(`stream.${framingOf(wire.name).extension}`)))
    const settings = existsSync(at('settings.json')) ? readFileSync(at('settings.json'), 'utf8') : '{}'
    return { wire, name, stream, quirks: parseSettings(settings).quirks, at }
  }),
)

/** Ends an answer and returns its body. */
export function endOf(collector: BodyCollector): JsonObject {
  collector.push('end')
  return collector.body()
}

/** Emits each delta and each input, which is a list of deltas, unchanged. */
export const PASSING: TurnMachine<readonly Delta[], never> = {
  initial: null,
  step: (state, input) => ({ state, events: 'kind' in input ? [input] : input }),
  isCommand: (_): _ is never => false,
}

/** Writes deltas of any origin as a stream. */
export function writtenFrom(options: TranslationOptions, deltas: readonly Delta[]): { text: string; outcome: Outcome } {
  const stream = createTurnTranslation(options, PASSING)
  const { piece } = stream.apply(deltas)
  const decoder = new TextDecoder()
  return { text: decoder.decode(piece) + decoder.decode(stream.close()), outcome: stream.outcome() }
}

/** Builds a body from deltas of any origin. */
export function builtFrom(
  options: TranslationOptions,
  deltas: readonly Delta[],
): { body: JsonObject; outcome: Outcome } {
  const collector = createTurnCollector(options, PASSING)
  collector.apply(deltas)
  collector.close()
  return { body: collector.body(), outcome: collector.outcome() }
}
