import { expect } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import type { Outcome } from '../../src/engine/outcome.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { collected, optionsOf, toBytes, translated } from '../engine/run-engine.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response object
export type Loose = any

export interface ClientStream {
  /** Returns the response of a stream, after checking the stream in every dialect. */
  responseOfStream(stream: string, quirks?: Quirks): Loose
  /** Returns the response of a whole body. */
  responseOfBody(body: unknown, quirks?: Quirks): Loose
  outcomeOf(body: unknown): Outcome
  deltasOf(stream: string, quirks?: Quirks): readonly Delta[]
}

export const clientStreamOf = (wire: KnownWire): ClientStream => {
  const optionsFor = (quirks: Quirks = {}) => optionsOf(DIALECTS.openai, quirks, 'x', wire)
  return {
    responseOfStream(stream, quirks) {
      const bytes = [toBytes(stream)]
      for (const dialect of Object.values(DIALECTS)) {
        expect(checkStream(translated(optionsOf(dialect, quirks, 'x', wire), bytes), dialect)).toEqual([])
      }
      return collected(optionsFor(quirks), bytes)
    },
    responseOfBody: (body, quirks) => translateWholeBody(optionsFor(quirks), JSON.stringify(body)).body,
    outcomeOf: (body) => translateWholeBody(optionsFor(), JSON.stringify(body)).outcome,
    deltasOf(stream, quirks = {}) {
      const reader = wire.framing.open(1 << 26)
      return run(wire.decodeStream(quirks), [...reader.push(toBytes(stream)), ...reader.end()])
    },
  }
}

const itemsOf = (response: Loose, type: string): readonly Loose[] =>
  response.output.filter((item: Loose) => item.type === type)

/** Returns id, name, arguments and status of every call. */
export const callsOf = (response: Loose): readonly Loose[] =>
  itemsOf(response, 'function_call').map((it) => [it.call_id, it.name, it.arguments, it.status])

/** Joins the texts of messages, with `|` between items. */
export const textOf = (response: Loose): string =>
  itemsOf(response, 'message')
    .map(({ content }) => content.map((part: Loose) => part.text).join(''))
    .join('|')
