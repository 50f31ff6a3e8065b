import { describe, expect, it } from 'vitest'
import { imagesOf } from '../../bench/linearity/images.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { UpstreamInput } from '../../src/engine/answer.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { type ClientWire, wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { FORMATS } from '../../src/framing/format.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { headOf } from '../engine/run-engine.ts'
import { someOf } from '../property.ts'
import { CORE_CASES, type CoreCase } from './core.ts'
import { countSteps } from './counting.ts'
import { countGrowth, IS_LONG, MOST_GROWTH, measureGrowth, type Work } from './growth.ts'
import { REQUEST_CASES, TEXT_CASES } from './requests.ts'
import { COPY_CASES, type SentFrame, STREAM_CASES, type StreamCase } from './streams.ts'
import { PAIRS, translate, WHOLE_CASES } from './whole-bodies.ts'
import { WIRE_STREAM_CASES } from './wire-streams.ts'

/** Twice the input costs about twice the time, for every repeated structure of an upstream and every target. */

const READ = 16 * 1024

interface Receiver {
  push(input: UpstreamInput): unknown
  body?(): unknown
}

const encoder = new TextEncoder()

function bytesOf(wire: StreamCase['wire'], { event = '', data }: SentFrame): Uint8Array {
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const frame = { event, data: text }
  if (WIRES[wire].framing.name === 'eventstream') return encodeEventStream(frame)
  const format = FORMATS[WIRES[wire].framing.format]
  return encoder.encode(format.write.step(false, frame).events.join(''))
}

/** Splits the stream into reads as a connection does. */
function readsOf({ wire, frames }: StreamCase, size: number): readonly Uint8Array[] {
  const all = Buffer.concat(frames(size).map((frame) => bytesOf(wire, frame)))
  return Array.from({ length: Math.ceil(all.length / READ) }, (_, i) => all.subarray(i * READ, (i + 1) * READ))
}

const work =
  (stream: StreamCase, open: () => Receiver): Work =>
  (size) => {
    const reads = readsOf(stream, size)
    return () => {
      const receiver = open()
      for (const bytes of reads) receiver.push(bytes)
      receiver.push('end')
      receiver.body?.()
    }
  }

const CLIENTS: readonly ClientWire[] = Object.values(WIRES).flatMap(({ name, client }) =>
  client === undefined ? [] : [{ name, client }],
)

type Target = readonly [name: string, open: (stream: StreamCase) => Receiver]

const optionsOf = ({ wire, quirks = {} }: StreamCase) => ({ wire: WIRES[wire], quirks, head: headOf('x') })

const toDialect = (dialect: (typeof DIALECTS)[keyof typeof DIALECTS]): Target => [
  `the dialect ${dialect.name}`,
  (stream) => createTranslation({ ...optionsOf(stream), target: dialectTarget(dialect) }),
]

const TARGETS: readonly Target[] = [
  toDialect(DIALECTS.beta),
  toDialect(DIALECTS.openai),
  ['one response', (stream) => createBodyCollector({ ...optionsOf(stream), target: dialectTarget(DIALECTS.openai) })],
]

const CLIENT_TARGETS: readonly Target[] = CLIENTS.flatMap((to): Target[] => [
  [`a client of ${to.name}`, (stream) => createTranslation({ ...optionsOf(stream), target: wireTarget(to) })],
  [`a body of ${to.name}`, (stream) => createBodyCollector({ ...optionsOf(stream), target: wireTarget(to) })],
])

/** A long run writes each case to all targets. A short run takes one target for each case, in turn. */
function targetsOf(at: number): readonly Target[] {
  const all = [...TARGETS, ...CLIENT_TARGETS]
  return IS_LONG ? all : [all[at % all.length] as Target]
}

const ROWS: readonly CoreCase[] = [
  ...[...STREAM_CASES, ...WIRE_STREAM_CASES].flatMap((stream, at) =>
    targetsOf(at).map(([target, open]) => ({
      title: `${stream.wire}: ${stream.title}, written to ${target}`,
      work: work(stream, () => open(stream)),
    })),
  ),
  ...CORE_CASES,
  ...REQUEST_CASES,
  ...WHOLE_CASES,
]

describe('doubling the size of an input costs at most 2.3 times as much', () => {
  for (const { title, work: of, start = 64 } of someOf(ROWS, 3)) {
    it(title, () => {
      const { size, costs, factor } = IS_LONG ? measureGrowth(of, start) : countGrowth(of)
      const unit = IS_LONG ? 'ms' : 'steps'
      const report = `${title}: ${costs.map((cost) => Math.round(cost)).join(', ')} ${unit} from ${size} to ${4 * size}`
      if (process.env.GROWTH === 'show') process.stderr.write(`\n${factor.toFixed(2)}  ${report}\n`)
      expect(factor, report).toBeLessThanOrEqual(MOST_GROWTH)
    })
  }

  for (const { title, work: of, start = 64 } of [...TEXT_CASES, ...COPY_CASES]) {
    it(`${title}, in processor time`, () => {
      const { costs, factor } = measureGrowth(of, start)
      expect(factor, `${title}: ${costs.map(Math.round).join(', ')} ms`).toBeLessThanOrEqual(MOST_GROWTH)
    })
  }
})

describe('an image is not decoded, encoded or escaped again', () => {
  for (const { from, to } of PAIRS) {
    it(`from a client of ${from} for ${to}`, () => {
      const [small, large] = [10_000, 40_000].map((length) => {
        const body = imagesOf(from, 2, length)
        return countSteps(() => translate(body, from, to))
      }) as [number, number]
      const added = 2 * (40_000 - 10_000)
      // Upstreams require base64 without white space, which is searched in one pass.
      expect(large - small).toBeLessThanOrEqual(added)
    })
  }
})
