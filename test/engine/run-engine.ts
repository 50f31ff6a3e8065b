import { existsSync, readFileSync } from 'node:fs'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { collectStream, type TranslateOptions, translate } from '../../src/engine/translate.ts'
import { FIXTURES, framingOf, listRecordings, parseSettings } from '../../src/host/upstream/recordings.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Head } from '../../src/protocol/response.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import type { StreamWire, Wire } from '../../src/wires/contract.ts'
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
  ({ wire, quirks, dialect, head: headOf(name) }) satisfies TranslateOptions

export const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Translates these pieces of an upstream stream to the text of a dialect. */
export function translated(options: TranslateOptions, pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream = translate(options)
  const written = pieces.map((piece) => decoder.decode(stream.receive(piece), { stream: true }))
  return written.join('') + decoder.decode(stream.end())
}

export function collected(options: TranslateOptions, pieces: readonly Uint8Array[]): JsonObject {
  const answer = collectStream(options)
  for (const piece of pieces) answer.receive(piece)
  return answer.end()
}

/** Parses the events of a written stream, without its terminator. */
export const eventsOf = (text: string): readonly JsonObject[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))

export interface Fixture {
  readonly wire: Wire
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
