import assert from 'node:assert/strict'
import { checkStream } from '../../src/dialects/check-stream.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { type ClientWire, formatOf, wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { run } from '../../src/machine/run.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** The targets of the benchmark, and how a written stream is verified. */

export const DIALECT_NAMES = ['beta', 'openai'] as const
export const CLIENT_NAMES = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'ollama-chat'] as const
export const TARGET_NAMES = [...DIALECT_NAMES, ...CLIENT_NAMES] as const
export type BenchTargetName = (typeof TARGET_NAMES)[number]

export interface BenchTarget {
  readonly target: Target
  /** Fails if the stream is malformed; returns its texts or arguments, joined. `whole`: as its last event has them. */
  verify(bytes: Uint8Array, whole: boolean): string
}

export const isClient = (name: BenchTargetName): name is (typeof CLIENT_NAMES)[number] =>
  CLIENT_NAMES.some((client) => client === name)

export const benchTarget = (name: BenchTargetName): BenchTarget =>
  isClient(name) ? ofClient(name) : ofDialect(DIALECTS[name])

const ofDialect = (dialect: Dialect): BenchTarget => ({
  target: dialectTarget(dialect),
  verify(bytes, whole) {
    const text = new TextDecoder().decode(bytes)
    assert.deepEqual(checkStream(text, dialect), [])
    return whole ? joined(IN_ITEM, text.slice(text.lastIndexOf('"output":['))) : joined(IN_DELTA, text)
  },
})

const IN_DELTA = /"delta":("(?:[^"\\]|\\.)*")/g
const IN_ITEM = /"(?:text|arguments)":("(?:[^"\\]|\\.)*")/g

const joined = (field: RegExp, text: string): string =>
  [...text.matchAll(field)].map(([, one]) => JSON.parse(one as string) as string).join('')

function ofClient(name: (typeof CLIENT_NAMES)[number]): BenchTarget {
  const wire = WIRES[name] as (typeof WIRES)[typeof name] & ClientWire
  return {
    target: wireTarget(wire, { settings: { usage: true }, format: formatOf(wire) }),
    verify(bytes) {
      const reader = wire.framing.open(1 << 26)
      const deltas = run(wire.decodeStream({}), [...reader.push(bytes), ...reader.end()])
      assert.deepEqual(
        deltas.filter(({ kind }) => kind === 'error'),
        [],
      )
      return deltas
        .map((delta) => ('text' in delta ? delta.text : delta.kind === 'call' ? delta.arguments : ''))
        .join('')
    },
  }
}

/** The texts of the events that the floor writes, joined. */
export const textOfFloor = (bytes: readonly Uint8Array[]): string =>
  joined(IN_DELTA, new TextDecoder().decode(Buffer.concat(bytes)))
