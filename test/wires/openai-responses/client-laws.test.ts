import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai, openaiReasoningText } from '../../../src/dialects/openai.ts'
import { openSse } from '../../../src/framing/sse.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Event } from '../../../src/protocol/event.ts'
import type { MessagePart, OutputText } from '../../../src/protocol/part.ts'
import type { Usage } from '../../../src/protocol/usage.ts'
import type { Seal } from '../../../src/responses/envelope.ts'
import { respond } from '../../../src/responses/respond.ts'
import { isObject, isText } from '../../../src/text/json.ts'
import { decodeStream } from '../../../src/wires/openai-responses/decode.ts'
import { deltas } from '../../arbitraries/deltas.ts'
import { closing } from '../../crossing.ts'
import { check } from '../../property.ts'
import { headOf, toBytes } from '../../translated.ts'
import { write } from '../../written.ts'

/** What this wire seals is the whole item that its server gave. */
const sealWithin: Seal = (payload) =>
  isObject(payload) && isText(payload.encrypted_content) ? payload.encrypted_content : JSON.stringify(payload)

/** Fields of an item that the upstream runs cannot be called as its own are. */
const OWN = ['id', 'type', 'status']

/** Offsets of others may count characters or halves of them: what they count is guessed where that differs. */
const PAIRED = /[\ud800-\udfff]/

/** As every client can see it: a page without a title has none, and no order among places is promised. */
function annotationsOf({ text, annotations }: OutputText): readonly string[] {
  const guessed = PAIRED.test(text) ? { start_index: 0, end_index: 0, index: 0 } : {}
  return annotations
    .map((it) => ('title' in it ? { ...it, title: it.title || null, content: it.content || null } : it))
    .map((it) => JSON.stringify({ ...it, ...guessed }))
    .sort()
}

const visible = (part: MessagePart): unknown =>
  part.type === 'output_text' ? { ...part, annotations: annotationsOf(part) } : part

function told(events: readonly Event[]): unknown {
  const { output, status, incomplete_details, error, usage } = closing(events)
  const items = output.map((item) => {
    if (item.type === 'message') return { ...item, content: item.content.map(visible) }
    if (!('fields' in item)) return item
    return { ...item, fields: Object.fromEntries(Object.entries(item.fields).filter(([name]) => !OWN.includes(name))) }
  })
  const reason = incomplete_details?.reason ?? null
  return { items, status, reason, message: error?.message ?? null, usage: countsOf(usage) }
}

/** Usage is numbers there, or nothing. */
const countsOf = (usage: Usage | null): unknown =>
  usage === null ? null : Object.values({ ...usage, total_tokens: 0 }).map((count) => count ?? 0)

/** A server that speaks this wire ends each item before the next but calls: no item is held open. */
const following = deltas.map((list) => list.filter(({ kind }) => kind !== 'hold'))

describe('law 4', () => {
  it.each([openai, openaiReasoningText])('what clients of the Responses API are told is what they hear', (dialect) => {
    const tell = (list: Iterable<Delta>, seal: Seal = JSON.stringify): readonly Event[] =>
      run(respond(headOf('1'), dialect, seal), list)
    const heard = (text: string): readonly Event[] => {
      const reader = openSse(1 << 26)
      return tell(run(decodeStream({}), [...reader.push(toBytes(text)), ...reader.end()]), sealWithin)
    }
    check(
      fc.property(following, (list) => {
        const events = tell(list)
        expect(told(heard(run(write(dialect), events).join('')))).toEqual(told(events))
      }),
      2000,
    )
  })
})
