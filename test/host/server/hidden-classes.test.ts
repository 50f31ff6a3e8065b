import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Encodable, encodeCall, type Prepared } from '../../../src/gateway/call/prepare-request.ts'
import { responsesApi } from '../../../src/gateway/clients/client-api.ts'
import type { Mount } from '../../../src/gateway/config/config.ts'
import type { RequestContext } from '../../../src/gateway/exchange/request-context.ts'
import { createHttpContext, type HttpContext } from '../../../src/host/server/http-context.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { routedTo } from '../../engine/encoded-call.ts'
import { whenDone } from '../test-server.ts'

setFlagsFromString('--allow-natives-syntax')
const haveSameClass = runInNewContext('(one, other) => %HaveSameMap(one, other)') as (a: object, b: object) => boolean

/** V8 caches the classes of an object literal after some calls of its function. */
const CALLS = 60

const classesOf = (made: readonly object[]): number =>
  made.slice(1).filter((one, at) => !haveSameClass(one, made[at] as object)).length

const planOf = (at: number): Encodable => ({
  routed: routedTo('groq', 'm', { model: 'groq/m', input: `Hello ${at}` }),
  source: () => expect.unreachable(),
  writing: { size: 0, onWritten: () => undefined },
  options: OPTIONS,
  search: null,
  further: [],
  learner: {
    vendor: 'groq',
    wire: 'openai-chat',
    model: 'm',
    identity: { account: 'a', vendor: 'a' },
    conversation: () => at,
  },
  again: null,
  continues: false,
})

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } }
const TOOL = { type: 'function', name: 'find', description: 'Finds it.', parameters: PARAMETERS }
const HISTORY = [
  { role: 'user', content: 'Where is it?' },
  { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"city":"Bern"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'There.' },
  { role: 'assistant', content: 'It is there.' },
  { role: 'user', content: 'Thanks.' },
]

const MESSAGES = [{ role: 'user', content: 'Hello' }]

const REQUESTS = {
  'openai-chat': { model: 'm', stream: true, messages: MESSAGES },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: MESSAGES },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  'gemini-interactions': { model: 'm', input: 'Hello' },
  'ollama-chat': { model: 'm', messages: MESSAGES },
}

/** All lists and objects of a value, from the outside. */
const objectsIn = (value: unknown): object[] =>
  typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(objectsIn)]

const OPTIONS = {} as Encodable['options']

const MOUNT = { dialect: 'beta', reasoning: 'summary' } as Mount

describe('the objects of a request', () => {
  // Node 20 makes a hidden class for each object whose literal begins with another object and has further fields.
  it('are able to find such classes', () => {
    const made = Array.from({ length: CALLS }, (_, at) => JSON.parse(`{"name${at}":1}`) as object)
    expect(classesOf(made)).toBe(CALLS - 1)
  })

  it('have the same hidden class in each context', async () => {
    const contexts: HttpContext[] = []
    const server = createServer((request, response) => {
      contexts.push(createHttpContext(request, response, `id-${contexts.length}`, 10_000))
      response.end()
    }).listen(0, '127.0.0.1')
    whenDone(async () => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    for (let n = 0; n < CALLS; n += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text()
    expect(classesOf(contexts.slice(-CALLS / 2))).toBe(0)
  })

  it('have the same hidden class in each read of a Responses body', () => {
    const api = responsesApi(MOUNT)
    const reads = Array.from({ length: CALLS }, () => {
      const opened = api.open({ request: { headers: {} } } as RequestContext)
      return opened.ok ? opened.value.read({}, null) : expect.unreachable()
    })
    expect(classesOf(reads)).toBe(0)
  })

  it('have the same hidden class in each encoded call', () => {
    const prepared: Prepared[] = []
    for (let n = 0; n < CALLS; n += 1) {
      const encoded = runSteps(encodeCall(planOf(n)))
      if (encoded.ok) prepared.push(encoded.value)
    }
    expect(prepared).toHaveLength(CALLS)
    const last = prepared.slice(-CALLS / 2)
    expect([classesOf(last), classesOf(last.map(({ call }) => call))]).toEqual([0, 0])
  })

  it.each(['openai-chat', 'anthropic-messages', 'gemini-generate', 'gemini-interactions', 'ollama-chat'] as const)(
    'have the same hidden class in each decoded request of %s',
    (name) => {
      const { client } = WIRES[name]
      const decoded = Array.from({ length: CALLS }, () =>
        runSteps(client.decodeRequest(REQUESTS[name], { model: 'm', stream: true, seal: null })),
      )
      expect(decoded.every(({ ok }) => ok)).toBe(true)
      expect(classesOf(decoded.slice(-CALLS / 2))).toBe(0)
    },
  )

  it.each([
    ['anthropic', 'claude-sonnet-4-5'],
    ['google', 'gemini-3-pro'],
    ['mistral', 'mistral-large-latest'],
  ])('have the same hidden classes in each body for %s, in a process with many names', (vendor, model) => {
    for (let n = 0; n < 4000; n += 1) Object.assign({}, { [`name${n}`]: n })
    const bodies: object[][] = []
    for (let n = 0; n < CALLS; n += 1) {
      const body = {
        model: `${vendor}/${model}`,
        stream: true,
        instructions: 'Be brief.',
        tools: [TOOL],
        input: HISTORY,
      }
      const encoded = runSteps(encodeCall({ ...planOf(n), routed: routedTo(vendor, model, body) }))
      if (encoded.ok) bodies.push(objectsIn(encoded.value.call.json))
    }
    expect(bodies).toHaveLength(CALLS)
    const last = bodies.slice(-CALLS / 2)
    const changes = (last[0] ?? []).map((_, at) => classesOf(last.map((objects) => objects[at] as object)))
    expect(changes).toEqual(changes.map(() => 0))
  })
})
