import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { isNonEmptyString } from '../../../../src/text/json.ts'
import { encodeStream } from '../../../../src/wires/gemini-generate/client/stream.ts'
import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import { toUsage, toUsageMetadata } from '../../../../src/wires/gemini-generate/usage.ts'
import { deltas as anyDeltas } from '../../../arbitraries/deltas.ts'
import { toBytes } from '../../../engine/run-engine.ts'
import { check } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { endingFor, usableArguments } from '../../usable.ts'
import { call, chunk, code, deltasOf, reasoningPart, result, signed, stop, text } from '../answers.ts'
import {
  bodyFor,
  encodeContext,
  HI,
  model,
  partsFor,
  passedOn,
  responseOf,
  sealForeign,
  throughHub,
} from '../clients.ts'

const itemsOf = ({ output }: Loose, ...types: readonly string[]): readonly Loose[] =>
  output.filter(({ type }: Loose) => types.includes(type))

const messageText = (response: Loose): string =>
  itemsOf(response, 'message')
    .flatMap(({ content }) => content.map((part: Loose) => part.text ?? part.refusal))
    .join('')

const reasoningText = (response: Loose): string =>
  itemsOf(response, 'reasoning')
    // A blank line is between two parts of one item.
    .map(({ summary, content }) => [...content, ...summary].map((part: Loose) => part.text).join('\n\n'))
    .join('')

/** The arguments that a functionCall can have; null if it can have none. */
const argsOf = (item: Loose): object | null =>
  item.type === 'custom_tool_call' ? { input: item.input } : usableArguments(item)

const calls = (response: Loose): readonly Loose[] =>
  itemsOf(response, 'function_call', 'custom_tool_call').flatMap((item) => {
    const args = argsOf(item)
    return args === null ? [] : [[item.call_id, item.name, args]]
  })

const isCut = (response: Loose): boolean => itemsOf(response, 'function_call').some((item) => argsOf(item) === null)

/** The status for the client: an answer with nothing but truncated calls is malformed. */
function statusOf(response: Loose): Loose {
  if (response.status === 'completed' && isCut(response) && calls(response).length === 0) return ['failed', null]
  const { status, incomplete_details } = endingFor(response)
  return [status, incomplete_details]
}

const usageOf = ({ usage }: Loose): Loose => {
  const metadata = usage === null ? null : toUsageMetadata(usage)
  return metadata === null ? null : toUsage(metadata as Loose)
}

const expressible = (response: Loose) => ({
  text: messageText(response),
  calls: calls(response),
  status: statusOf(response),
  usage: usageOf(response),
})

const envelopesOf = (response: Loose): readonly string[] =>
  response.output
    .map((item: Loose) => item.encrypted_content ?? item.fields?.encrypted_content)
    .filter(isNonEmptyString)

const again = (deltas: readonly Delta[]): Loose => responseOf(deltas, sealForeign)

/** Excludes texts that continue after others have begun: their text would change its position. */
const inOrder = anyDeltas.map((list) => list.filter(({ kind }) => kind !== 'hold'))

describe('an answer for Gemini clients, decoded as the answer of an upstream', () => {
  it('gives the same response if it is streamed', () => {
    check(
      fc.property(inOrder, (upstream) => {
        const before = again(upstream)
        const frames = run(encodeStream(encodeContext), throughHub(upstream, sealForeign))
        const after = again(run(geminiGenerate.decodeStream({}), frames))
        expect(expressible(after)).toEqual(expressible(before))
        // A part of reasoning may have raw text and a summary, which are one text here.
        expect(reasoningText(after).split('').toSorted()).toEqual(reasoningText(before).split('').toSorted())
      }),
      1500,
    )
  })

  it('gives the same response as a whole body', () => {
    check(
      fc.property(inOrder, (upstream) => {
        const before = again(upstream)
        fc.pre(before.status !== 'failed')
        const after = again(geminiGenerate.decodeBody(bodyFor(throughHub(upstream, sealForeign)), {}))
        expect(expressible(after)).toEqual(expressible(before))
      }),
      1500,
    )
  })

  it('gives the same response as an array in pieces of any size', () => {
    check(
      fc.property(anyDeltas, fc.nat({ max: 30 }), (upstream, size) => {
        const written = throughHub(upstream, sealForeign)
        const array = run(encodeStream({ ...encodeContext, settings: { array: true } }), written)
        const bytes = toBytes(array.map(({ data }) => data).join(''))
        const reader = geminiGenerate.framing.open(1 << 26)
        const frames = [0, 1, 2].flatMap((i) =>
          reader.push(bytes.subarray(i * size, i === 2 ? undefined : (i + 1) * size)),
        )
        const received = again(run(geminiGenerate.decodeStream({}), [...frames, ...reader.end()]))
        const streamed = again(run(geminiGenerate.decodeStream({}), run(encodeStream(encodeContext), written)))
        expect(expressible(received)).toEqual(expressible(streamed))
      }),
      300,
    )
  })
})

describe('sealed content for Gemini clients', () => {
  it('has every envelope of another vendor in base64 and once', () => {
    check(
      fc.property(anyDeltas, (upstream) => {
        const envelopes = envelopesOf(again(upstream)).map(wrapEnvelope).toSorted()
        const parts = partsFor(throughHub(upstream, sealForeign))
        const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? [])
        expect(signatures.toSorted()).toEqual(envelopes)
      }),
    )
  })

  const signature = fc.constantFrom({}, {}, signed('s1'), signed('s2'))
  const words = fc.constantFrom('a', 'é ', '🙂', 'Water', '\n')
  const part: fc.Arbitrary<Loose> = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(words, signature).map(([it, its]) => text(it, its)) },
    { weight: 2, arbitrary: fc.tuple(words, signature).map(([it, its]) => reasoningPart(it, its)) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom('f', 'g'), signature).map(([it, its]) => call(it, {}, its)) },
    { weight: 1, arbitrary: fc.constant(text('', signed('e'))) },
    { weight: 1, arbitrary: signature.map((its) => ({ ...code, ...its })) },
    { weight: 1, arbitrary: fc.constant(result) },
    {
      weight: 1,
      arbitrary: signature.map((its) => ({ inlineData: { mimeType: 'image/webp', data: 'UklGR' }, ...its })),
    },
  )

  const kindOf = (it: Loose): string =>
    it.functionCall !== undefined
      ? `call ${it.functionCall.name}`
      : it.text === undefined
        ? (Object.keys(it)[0] as string)
        : it.thought === true
          ? 'thought'
          : 'text'

  /** Runs of text or reasoning with all their signatures, and every other part with its own. */
  const plain = (parts: readonly Loose[]) =>
    parts.reduce<Loose[]>((all, it) => {
      const its = it.thoughtSignature?.startsWith('skip') ? [] : [it.thoughtSignature ?? []].flat()
      const last = all.at(-1)
      const kind = kindOf(it)
      if (last?.kind === kind && it.text !== undefined) {
        last.text += it.text
        last.its.push(...its)
      } else if (it.text !== '' || its.length > 0) all.push({ kind, its, text: it.text ?? '' })
      return all
    }, [])

  /**
   * Whether every result has its step. A result without a step is dropped, and overlapping steps are written one after
   * the other.
   */
  const isWhole = (parts: readonly Loose[]): boolean => {
    const open = { steps: 0 }
    return (
      parts.every((it) => {
        if (it.executableCode !== undefined) open.steps += 1
        else if (it.codeExecutionResult !== undefined) open.steps -= 1
        else return open.steps === 0
        return open.steps === 0 || open.steps === 1
      }) && open.steps === 0
    )
  }

  it('has signatures of Google on their part or after their text, and returns them there', () => {
    check(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }).filter(isWhole), (parts) => {
        const written = throughHub(deltasOf([...parts.map((it) => chunk([it])), chunk([text('')], stop)]))
        const streamed = partsFor(written)
        expect(plain(streamed)).toEqual(plain(parts))
        const whole = bodyFor(written).candidates[0].content.parts
        expect(plain(whole)).toEqual(plain(parts))
        for (const back of [streamed, whole]) {
          const { parts: home } = passedOn([HI, model(...back)])[1] ?? { parts: [] }
          expect(plain(home)).toEqual(plain(parts))
        }
      }),
      1500,
    )
  })
})

describe('citations for Gemini clients, decoded again', () => {
  const words = fc.constantFrom('Water ', 'é', '🙂', '日本 ', 'a', '\n')
  const url = fc.constantFrom('https://a.example/', 'https://b.example/')
  const mark = fc.record({ url, start: fc.nat({ max: 12 }), length: fc.integer({ min: 1, max: 8 }) })
  const message = fc.record({
    pieces: fc.array(words, { minLength: 1, maxLength: 5 }),
    marks: fc.array(mark, { maxLength: 3 }),
  })

  /** Messages with calls between them, each with citations of its own text. */
  const toDeltas = (messages: readonly { pieces: readonly string[]; marks: readonly Loose[] }[]): readonly Delta[] => [
    ...messages.flatMap(({ pieces, marks }, i): Delta[] => {
      const key = `m${i}`
      const { length } = pieces.join('')
      return [
        ...pieces.map((it): Delta => ({ kind: 'text', key, part: '', text: it, logprobs: null })),
        ...marks
          .filter(({ start }) => start < length)
          .map((it): Delta => {
            const span = { start: it.start, end: Math.min(it.start + it.length, length), unit: 'utf16' as const }
            const citation = { url: it.url, title: 'T', content: null, marker: null, span }
            return { kind: 'citation', key, part: '', citation }
          }),
        { kind: 'call', key: `c${i}`, type: 'function_call', callId: `c${i}`, name: 'f', arguments: '{}' },
      ]
    }),
    { kind: 'finish', reason: 'stop' },
  ]

  /**
   * The citations with a position: half of a surrogate pair has none, and a citation without a position is in no text.
   */
  const marksOf = (response: Loose): readonly string[] => [
    ...new Set<string>(
      itemsOf(response, 'message').flatMap(({ content }, i) =>
        content[0].annotations
          .filter((it: Loose) => it.end_index > it.start_index)
          .map((it: Loose) => JSON.stringify([i, it.url, it.title, it.start_index, it.end_index])),
      ),
    ),
  ]

  it('keep their spans in any number of texts', () => {
    check(
      fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
        const upstream = toDeltas(messages)
        const written = throughHub(upstream)
        const before = marksOf(responseOf(upstream)).toSorted()
        const streamed = responseOf(run(geminiGenerate.decodeStream({}), run(encodeStream(encodeContext), written)))
        expect(marksOf(streamed).toSorted()).toEqual(before)
        expect(marksOf(responseOf(geminiGenerate.decodeBody(bodyFor(written), {}))).toSorted()).toEqual(before)
      }),
      1000,
    )
  })
})
