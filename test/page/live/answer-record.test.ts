import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../../src/dialects/beta.ts'
import { openai } from '../../../src/dialects/openai.ts'
import { dialectTarget } from '../../../src/engine/target.ts'
import { createLiveReader } from '../../../src/page/views/live/answer/answer-reader.ts'
import { AnswerRecord } from '../../../src/page/views/live/answer/answer-record.ts'
import type { LanePart } from '../../../src/page/views/live/answer/lanes.ts'
import { LIVE_PROTOCOLS, type LiveProtocol } from '../../../src/page/views/live/answer/protocols.ts'
import type { Item } from '../../../src/protocol/item.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { cutBytes, cuts } from '../../arbitraries/bytes.ts'
import { deltas } from '../../arbitraries/deltas.ts'
import { ANSWERS } from '../../arbitraries/wires.ts'
import { readAnswerAs } from '../../cross-translate.ts'
import { optionsOf, toBytes, writtenFrom } from '../../engine/run-engine.ts'
import { check } from '../../property.ts'

const textOfPart = ({ pieces }: LanePart): string => pieces.join('')

const wireOf = (protocol: LiveProtocol): WireName =>
  protocol === 'responses-beta' || protocol === 'responses-openai' ? 'openai-responses' : protocol

function recordOf(protocol: LiveProtocol, pieces: readonly Uint8Array[], time = (_: number) => 0): AnswerRecord {
  const reader = createLiveReader(protocol, 'acme/m')
  const record = new AnswerRecord()
  pieces.forEach((piece, i) => {
    record.addBytes(piece.length, time(i))
    record.addFrames(reader.push(piece), time(i))
  })
  record.addFrames(reader.end(), time(pieces.length))
  record.close(time(pieces.length), false)
  return record
}

const filled = (texts: readonly string[]): readonly string[] => texts.filter((text) => text !== '')

/** The lanes with their texts, in the order of the answer. */
const shownIn = ({ lanes }: AnswerRecord) =>
  lanes.map(({ type, name, parts }) => ({ type, name, texts: filled(parts.map(textOfPart)) }))

/** The same, from the finished items of the answer. */
const expectedOf = (output: readonly Item[]) =>
  output.map((item) => ({
    type: item.type,
    name: 'name' in item ? (item.namespace === undefined ? item.name : `${item.namespace}.${item.name}`) : '',
    texts: filled(textsOf(item)),
  }))

function textsOf(item: Item): readonly string[] {
  if ('fields' in item) return []
  switch (item.type) {
    case 'message':
      return item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal))
    case 'reasoning':
      return [...item.summary, ...item.content].map(({ text }) => text).sort()
    case 'function_call':
      return [item.arguments]
    case 'custom_tool_call':
      return [item.input]
  }
}

/** Reasoning arrives in another order than its finished item has. */
const sortedReasoning = (shown: ReturnType<typeof shownIn>) =>
  shown.map((lane) => (lane.type === 'reasoning' ? { ...lane, texts: [...lane.texts].sort() } : lane))

/** The beta dialect has one text for several parts of a summary. */
const joined = (shown: ReturnType<typeof shownIn>) =>
  shown.map((lane) => (lane.type === 'reasoning' ? { ...lane, texts: [...lane.texts.join('')].sort() } : lane))

describe('the record of an answer', () => {
  it.each(LIVE_PROTOCOLS)('has the same lanes, ticks and frames for every cut of the bytes of %s', (protocol) => {
    check(
      fc.property(ANSWERS[wireOf(protocol)].stream, cuts, (bytes, at) => {
        const [whole, cut] = [recordOf(protocol, [bytes]), recordOf(protocol, cutBytes(bytes, at))]
        expect(cut.lanes).toEqual(whole.lanes)
        expect(cut.ticks).toEqual(whole.ticks)
        expect(cut.frames).toEqual(whole.frames)
        expect([cut.ending, cut.usage, cut.bytes]).toEqual([whole.ending, whole.usage, whole.bytes])
      }),
      300,
    )
  })

  it.each(LIVE_PROTOCOLS.filter((protocol) => wireOf(protocol) === protocol))(
    'has all items and all text of an answer of %s, in order',
    (protocol) => {
      check(
        fc.property(ANSWERS[wireOf(protocol)].stream, (bytes) => {
          const { output } = readAnswerAs(WIRES[wireOf(protocol)], bytes)
          expect(sortedReasoning(shownIn(recordOf(protocol, [bytes])))).toEqual(expectedOf(output))
        }),
        300,
      )
    },
  )

  it.each([
    ['responses-openai', openai],
    ['responses-beta', beta],
  ] as const)('has all items and all text that the server writes as %s, in order', (protocol, dialect) => {
    check(
      fc.property(deltas, (sent) => {
        const { text, outcome } = writtenFrom({ ...optionsOf(dialect), target: dialectTarget(dialect) }, sent)
        const record = recordOf(protocol, [toBytes(text)])
        const expected = expectedOf(outcome.answer?.output ?? [])
        if (dialect === beta) expect(joined(shownIn(record))).toEqual(joined(expected))
        else expect(sortedReasoning(shownIn(record))).toEqual(expected)
        expect(record.ending).toBe(outcome.status)
      }),
      300,
    )
  })

  it('puts the ticks of a lane on the time axis in the order of its frames, and every text into one tick', () => {
    check(
      fc.property(ANSWERS['anthropic-messages'].stream, cuts, (bytes, at) => {
        const { lanes, ticks, frames } = recordOf('anthropic-messages', cutBytes(bytes, at), (i) => i * 10)
        for (const lane of lanes) {
          const own = lane.ticks.map((i) => ticks[i])
          expect(own.every((tick) => tick?.lane === lane.position)).toBe(true)
          expect(own.map((tick) => tick?.time)).toEqual(own.map((tick) => tick?.time).sort((a = 0, b = 0) => a - b))
          const covered = own.reduce((sum, tick) => sum + Math.max(0, (tick?.end ?? 0) - (tick?.start ?? 0)), 0)
          expect(covered).toBe(lane.size)
          expect(lane.size).toBe(lane.parts.reduce((sum, part) => sum + textOfPart(part).length, 0))
        }
        for (const [i, frame] of frames.entries())
          for (let at = frame.firstTick; at < frame.lastTick; at += 1) expect(ticks[at]?.frame).toBe(i)
      }),
      300,
    )
  })
})
