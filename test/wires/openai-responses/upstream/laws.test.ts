import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai, openaiReasoningText } from '../../../../src/dialects/openai.ts'
import { createSseReader } from '../../../../src/framing/sse.ts'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Event } from '../../../../src/protocol/event.ts'
import type { MessagePart, OutputText } from '../../../../src/protocol/part.ts'
import { type Usage, withCachedInput } from '../../../../src/protocol/usage.ts'
import type { Seal } from '../../../../src/responses/encrypted-content.ts'
import { respond } from '../../../../src/responses/respond.ts'
import { isNonEmptyString, isObject } from '../../../../src/text/json.ts'
import { decodeStream } from '../../../../src/wires/openai-responses/upstream/stream.ts'
import { deltas } from '../../../arbitraries/deltas.ts'
import { closing } from '../../../cross-translate.ts'
import { write } from '../../../engine/run-dialect.ts'
import { headOf, toBytes } from '../../../engine/run-engine.ts'
import { check } from '../../../property.ts'

/** Unwraps what this wire seals: its payload is the whole item that the server sent. */
const sealWithin: Seal = (payload) =>
  isObject(payload) && isNonEmptyString(payload.encrypted_content) ? payload.encrypted_content : JSON.stringify(payload)

/** Names that the fields of a hosted item cannot have, because the item itself has them. */
const OWN = ['id', 'type', 'status']

/**
 * Surrogate pairs: an upstream may count code points or UTF-16 units, and the decoder guesses the unit where they
 * differ.
 */
const PAIRED = /[\ud800-\udfff]/

/** Annotations as every client can see them: an empty title is null, and the order among positions is not defined. */
function annotationsOf({ text, annotations }: OutputText): readonly string[] {
  const guessed = PAIRED.test(text) ? { start_index: 0, end_index: 0, index: 0 } : {}
  return annotations
    .map((it) => ('title' in it ? { ...it, title: it.title || null, content: it.content || null } : it))
    .map((it) => JSON.stringify({ ...it, ...guessed }))
    .sort()
}

const visible = (part: MessagePart): unknown =>
  part.type === 'output_text' ? { ...part, annotations: annotationsOf(part) } : part

function visibleIn(events: readonly Event[]): unknown {
  const { output, status, incomplete_details, error, usage } = closing(events)
  const items = output.map((item) => {
    if (item.type === 'message') {
      // A failed answer has the phases that were certain when it failed, which depends on what the items looked like.
      const { phase, ...message } = item
      const known = status === 'failed' || phase === undefined ? {} : { phase }
      return { ...message, ...known, content: item.content.map(visible) }
    }
    if (!('fields' in item)) return item
    return { ...item, fields: Object.fromEntries(Object.entries(item.fields).filter(([name]) => !OWN.includes(name))) }
  })
  const reason = incomplete_details?.reason ?? null
  return { items, status, reason, message: error?.message ?? null, usage: countsOf(usage) }
}

/**
 * Usage of this wire has numbers only, or is absent, so an unknown count is 0. It has two lifetimes of tokens that were
 * written to a cache, and none if there are others. A cache with more tokens than the input stands beside it.
 */
function countsOf(usage: Usage | null): unknown {
  if (usage === null) return null
  const { cache_writes = {}, ...counts } = withCachedInput(usage)
  const hasOthers = '5m' in cache_writes || '1h' in cache_writes
  const numbers = Object.values({ ...counts, total_tokens: 0 }).map((count) => count ?? 0)
  return { numbers, writes: hasOthers ? {} : cache_writes }
}

/** A server of this wire ends each item but calls before the next begins, so no item is held open. */
const following = deltas.map((list) => list.filter(({ kind }) => kind !== 'hold'))

describe('law 4: a stream for Responses clients, decoded as the stream of an upstream', () => {
  it.each([openai, openaiReasoningText])('gives the same items, status, error and usage', (dialect) => {
    const toEvents = (list: Iterable<Delta>, seal: Seal = JSON.stringify): readonly Event[] =>
      run(respond(headOf('1'), dialect, seal), list)
    const readEvents = (text: string): readonly Event[] => {
      const reader = createSseReader(1 << 26)
      return toEvents(run(decodeStream({}), [...reader.push(toBytes(text)), ...reader.end()]), sealWithin)
    }
    check(
      fc.property(following, (list) => {
        const events = toEvents(list)
        expect(visibleIn(readEvents(run(write(dialect), events).join('')))).toEqual(visibleIn(events))
      }),
      2000,
    )
  })
})
