import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/framing/frame.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Seal } from '../../src/responses/encrypted-content.ts'
import type { ClientCodec, EncodeContext } from '../../src/wires/client-contract.ts'
import type { Loose } from './client-stream.ts'
import { encodeContext, framesOf, inOrder } from './deltas.ts'
import { type Cases, listed, titled } from './request-cases.ts'

/** Answers for clients as data: the deltas of an upstream, and views of the stream and of the body that are written. */

/** What the client side of a wire writes. */
export interface Written {
  /** The payloads of the frames: parsed JSON, or a text such as `[DONE]`. */
  readonly frames: readonly Loose[]
  readonly body: Loose
}

export type Views<View extends string> = Readonly<Record<View, (written: Written) => unknown>>

/** An answer of an upstream, and what some views of it are, exactly. */
export type ClientAnswerCase<View extends string> = {
  /** In a list: the rest of the title. */
  readonly name?: string
  readonly answer: readonly Delta[]
  readonly settings?: JsonObject
  /** Seals the reasoning of the upstream. Left out: the seal of the form. */
  readonly seal?: Seal
  /** The encoder receives the deltas as they are: the hub does not put them in order. */
  readonly raw?: boolean
} & { readonly [Name in View]?: unknown }

export interface ClientAnswerForm<View extends string> {
  readonly client: ClientCodec
  readonly context?: EncodeContext
  readonly seal?: Seal
  /** The name of a frame with this payload. Left out: frames have no names. */
  readonly eventOf?: (payload: Loose) => string
  readonly views: Views<View>
}

const payloadOf = ({ data }: Frame): Loose => (/^[[{]/.test(data) && data !== '[DONE]' ? JSON.parse(data) : data)

/** Writes the frames and keeps the state of the encoder as JSON between any two deltas. */
function framesFromJson(client: ClientCodec, deltas: readonly Delta[], context: EncodeContext): readonly Frame[] {
  const machine = client.encodeStream(context)
  const frames: Frame[] = []
  let state: unknown = machine.initial
  for (const delta of deltas) {
    const step = machine.step(JSON.parse(JSON.stringify(state)), delta)
    state = step.state
    frames.push(...step.events)
  }
  return [...frames, ...machine.end(JSON.parse(JSON.stringify(state)))]
}

/** Returns the function that tests the answers for clients of a wire. `title` stands before the names of the cases. */
export function clientAnswersOf<View extends string>(form: ClientAnswerForm<View>) {
  const { client, context = encodeContext(), eventOf = () => '', views } = form
  const check = (one: ClientAnswerCase<View>): void => {
    const { answer: given, settings = {}, seal = form.seal, raw = false } = one
    const deltas = raw ? given : inOrder(given, seal)
    const to = { ...context, settings }
    const found = framesOf(client, deltas, to)
    const frames = found.map(payloadOf)
    expect(found.map(({ event }) => event)).toEqual(frames.map(eventOf))
    expect(framesFromJson(client, deltas, to)).toEqual(found)
    const written = { frames, body: client.encodeBody(deltas, to) }
    const names = (Object.keys(views) as View[]).filter((view) => one[view] !== undefined)
    expect(Object.fromEntries(names.map((view) => [view, views[view](written)]))).toEqual(
      Object.fromEntries(names.map((view) => [view, one[view]])),
    )
  }
  return (
    subject: string,
    title: string,
    named: Cases<ClientAnswerCase<View>> | readonly ClientAnswerCase<View>[],
  ): void => {
    const { cases } = titled<ClientAnswerCase<View>>(subject, title, named)
    describe(subject, () => {
      for (const [name, found] of Object.entries(cases)) it(name, () => listed(found).forEach(check))
    })
  }
}
