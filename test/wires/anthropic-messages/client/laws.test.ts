import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Response } from '../../../../src/protocol/response.ts'
import type { Usage } from '../../../../src/protocol/usage.ts'
import { joinCalls } from '../../../../src/responses/join-calls.ts'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import { deltas } from '../../../arbitraries/deltas.ts'
import { check } from '../../../property.ts'
import { endingFor, usableArguments } from '../../usable.ts'
import { blocksOf, bodyOf, framesOf, responseOf, throughHub } from '../client-bodies.ts'

/** Law 4 for this wire: its decoder reads back the answer that its encoder wrote for a client. */

/**
 * Everything of a response that this wire can express. `whole`: arguments in a whole body are objects, not texts, and a
 * truncated call has none.
 */
function expressible(response: Response, whole: boolean) {
  const texts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const refusal = texts.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : [])).join('')
  const { error, usage } = response
  const { status, incomplete_details } = endingFor(response)
  const finish = status === 'failed' ? null : refusal !== '' ? 'content_filter' : (incomplete_details?.reason ?? 'stop')
  return {
    text: texts.flatMap((part) => (part.type === 'output_text' ? [part.text] : [])).join(''),
    refusal: status === 'failed' ? '' : refusal,
    calls: response.output.flatMap((item): readonly object[] => {
      if (item.type === 'function_call') {
        const { call_id, name, arguments: json } = item
        const input = usableArguments(item)
        if (!whole) return [{ call_id, name, input: streamedInput(json, input) }]
        return input === null ? [] : [{ call_id, name, input }]
      }
      if (item.type !== 'custom_tool_call') return []
      const input = { input: item.input }
      return [{ call_id: item.call_id, name: item.name, input: whole ? input : JSON.stringify(input) }]
    }),
    finish,
    error: error?.message ?? null,
    usage: status === 'failed' ? null : countsOf(usage),
  }
}

/** The text of an input in a stream: known to be no object at its first character, or sent as it is. */
const streamedInput = (json: string, input: object | null): string =>
  /^\s*(?:\{|$)/.test(json) ? json.trim() || '{}' : JSON.stringify(input ?? { INVALID_JSON: json })

/**
 * This wire can express neither an unknown number, nor a total of its own, nor more cached tokens than input tokens.
 */
function countsOf(usage: Usage | null) {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage ?? {
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
    reasoning_tokens: null,
  }
  const input = input_tokens ?? cached_tokens ?? 0
  const cached = cached_tokens === null ? null : Math.min(cached_tokens, input)
  return { input, output: output_tokens ?? 0, cached_tokens: cached, reasoning_tokens }
}

/** Returns reasoning as it is written: the parts of one item are one block, with a blank line between them. */
function writtenReasoning(deltas: readonly Delta[]): readonly string[] {
  const texts = new Map<string, { readonly part: string; readonly text: string }>()
  for (const delta of deltas) {
    const known = 'key' in delta ? texts.get(delta.key) : undefined
    if (delta.kind === 'opaque' && known === undefined) texts.set(delta.key, { part: '', text: '' })
    if (delta.kind !== 'reasoning' && delta.kind !== 'summary') continue
    const part = `${delta.kind} ${delta.part}`
    const gap = known === undefined || known.part === part ? '' : '\n\n'
    texts.set(delta.key, { part, text: (known?.text ?? '') + gap + delta.text })
  }
  return [...texts.values()].map(({ text }) => text)
}

const reasoningTexts = ({ output }: Response): readonly string[] =>
  output.flatMap((item) => (item.type === 'reasoning' ? [item.content.map(({ text }) => text).join('')] : []))

const streamed = (deltas: readonly Delta[]): Response =>
  responseOf(run(anthropicMessages.decodeStream({}), framesOf(deltas)))

/** Counts only become known: in this protocol, an unknown count does not replace a known one. */
function withKnownCounts(list: readonly Delta[]): readonly Delta[] {
  let known: Partial<Usage> = {}
  return list.map((delta) => {
    if (delta.kind !== 'usage') return delta
    const counts = Object.entries(delta.usage).filter(([, count]) => count !== null)
    known = { ...known, ...Object.fromEntries(counts) }
    return { ...delta, usage: { ...delta.usage, ...known } }
  })
}

/** The deltas of a wire, whose calls are joined. */
const growing = deltas.map((list) => withKnownCounts(run(joinCalls, list)))

describe('law 4: an answer for Anthropic clients, decoded as the answer of an upstream', () => {
  it('gives the same response if it is streamed', () => {
    check(
      fc.property(growing, (list) => {
        const written = throughHub(list)
        const read = streamed(written)
        expect(expressible(read, false)).toEqual(expressible(responseOf(list), false))
        expect(reasoningTexts(read)).toEqual(writtenReasoning(written))
      }),
      1000,
    )
  })

  it('gives the same response as a whole body', () => {
    check(
      fc.property(growing, (list) => {
        const response = responseOf(list)
        fc.pre(response.status !== 'failed')
        const written = throughHub(list)
        const body = bodyOf(written)
        const read = responseOf(anthropicMessages.decodeBody(JSON.parse(JSON.stringify(body)), {}))
        expect(expressible(read, true)).toEqual(expressible(response, true))
        expect(reasoningTexts(read)).toEqual(writtenReasoning(written))
      }),
      1000,
    )
  })

  it('has blocks that never overlap, one signature for each reasoning block, and one ending', () => {
    check(
      fc.property(deltas, (list) => {
        const events = framesOf(throughHub(list)).map(({ event, data }) => {
          const written = JSON.parse(data)
          expect(written.type).toBe(event)
          return written
        })
        blocksOf(events)
        expect(events.filter(({ type }) => type === 'message_stop' || type === 'error')).toHaveLength(1)
      }),
      1000,
    )
  })

  it('is encoded without throwing from deltas in any order', () => {
    check(
      fc.property(deltas, (list) => {
        framesOf(list)
        bodyOf(list)
      }),
      1000,
    )
  })
})
