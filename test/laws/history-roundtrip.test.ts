import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { run } from '../../src/machine/run.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Loss } from '../../src/protocol/loss.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import { runSteps } from '../../src/text/steps.ts'
import { validateRequest } from '../../src/validation/request.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { CLIENT_WIRES, encodeAnswerAs, REQUEST_WITH_EVERYTHING } from '../cross-translate.ts'
import { ALL_FIXTURES, collected, type Fixture, optionsOf } from '../engine/run-engine.ts'
import { encodeContext } from '../wires/deltas.ts'

/** Clients send an answer back in their next request. The request reader must accept every field of it. */

/** Fields that describe generated text: a request has no use for them. */
const NOT_AGAIN = /\.(?:annotations|logprobs|citations)$/

const unknownPaths = (losses: readonly Loss[]): readonly string[] =>
  losses.filter(({ why }) => why === 'this service does not support it').map(({ path }) => path)

const eventsOf = ({ wire, stream, quirks }: Fixture) => {
  const reader = wire.framing.open(1 << 26)
  return encodeAnswerAs(run(wire.decodeStream(quirks), [...reader.push(stream), ...reader.end()]))
}

const USER = { role: 'user', content: 'Hi' }

/** Puts an answer into the next request of a client of each wire. */
const NEXT: Partial<Record<WireName, (answer: JsonObject) => JsonObject>> = {
  'openai-chat': ({ choices }) => {
    const messages = (choices as { message: JsonObject }[]).map(({ message }) => message)
    return { messages: [USER, ...messages] }
  },
  'anthropic-messages': ({ role, content }) => ({ max_tokens: 9, messages: [USER, { role, content } as JsonObject] }),
  'gemini-generate': ({ candidates }) => {
    const contents = ((candidates ?? []) as { content: JsonObject }[]).map(({ content }) => content)
    return { contents: [{ parts: [{ text: 'Hi' }] }, ...contents] }
  },
  'gemini-interactions': ({ steps }) => ({ input: [{ type: 'text', text: 'Hi' }, ...(steps as JsonObject[])] }),
  'ollama-chat': ({ message }) => ({ messages: [USER, message as Json] }),
}

describe.each(ALL_FIXTURES)('the answer of $wire.name $name as history of the next request', (fixture) => {
  const { wire, name, stream, quirks } = fixture

  it.each(Object.values(DIALECTS))('is accepted in $name, except annotations, logprobs and citations', (dialect) => {
    const { output } = collected(optionsOf(dialect, quirks, name, wire), [stream])
    const valid = validateRequest({ model: 'a/b', input: [USER, ...(output as Json[])] })
    if (!valid.ok) throw new Error(valid.error.message)
    expect(valid.losses.map(({ path }) => path).filter((path) => !NOT_AGAIN.test(path))).toEqual([])
  })

  it.each(CLIENT_WIRES)('is accepted from clients of $name without an unknown field', ({ name: family, client }) => {
    const body = client.encodeBody(run(eventsToDeltas, eventsOf(fixture)), encodeContext(REQUEST_WITH_EVERYTHING))
    const address = { model: 'acme/m', stream: false, seal: null }
    const decoded = runSteps(client.decodeRequest({ model: 'acme/m', ...NEXT[family]?.(body) }, address))
    expect(decoded.ok ? unknownPaths(decoded.losses) : decoded.error.message).toEqual([])
  })
})
