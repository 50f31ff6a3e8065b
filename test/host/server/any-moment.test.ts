import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { reloadedSections } from '../../arbitraries/reloaded-sections.ts'
import { bodyOf, doneFrame, roleChunk, stopChunk, textChunk, usageChunk } from '../../mock-upstreams/server.ts'
import { checkAsync } from '../../property.ts'
import { closeAll, KEY, patient, post, sha256, startTestServer, waitUntil } from '../test-server.ts'

/**
 * Answers are at any place of their stream, in any client API, while the server is reloaded any number of times, from any
 * valid configuration to any other, and drains at any moment. Whatever an upstream sent reaches its client.
 */

const CHUNKS = [roleChunk, textChunk('one '), textChunk('two '), textChunk('three'), stopChunk + usageChunk + doneFrame]

/** A whole answer in as many pieces. */
const BODY = bodyOf('one two three')
const PIECES = CHUNKS.map((_, at) => {
  const size = Math.ceil(BODY.length / CHUNKS.length)
  return BODY.slice(at * size, (at + 1) * size)
})

interface Kind {
  readonly path: string
  readonly body: (stream: boolean) => object
  /** Ends a complete stream, once. */
  readonly end: RegExp
}

const model = 'acme/mock-1'
const messages = [{ role: 'user', content: 'Hi' }]
const KINDS: readonly Kind[] = [
  {
    path: '/openai/v1/responses',
    body: (stream) => ({ model, input: 'Hi', stream }),
    end: /"type":"response\.completed"/g,
  },
  { path: '/api/v1/responses', body: (stream) => ({ model, input: 'Hi', stream }), end: /"type":"response\.done"/g },
  {
    path: '/api/v1/chat/completions',
    body: (stream) => ({ model, messages, stream }),
    end: /"finish_reason":"stop"/g,
  },
  {
    path: '/api/v1/messages',
    body: (stream) => ({ model, messages, stream, max_tokens: 99 }),
    end: /"type":"message_stop"/g,
  },
]

type Step =
  | { readonly does: 'begin'; readonly kind: number; readonly stream: boolean }
  | { readonly does: 'send'; readonly at: number }
  | { readonly does: 'reload'; readonly config: object }

const begin = fc.record({
  does: fc.constant('begin' as const),
  kind: fc.nat({ max: KINDS.length - 1 }),
  stream: fc.boolean(),
})
const scripts: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: begin },
    { weight: 8, arbitrary: fc.record({ does: fc.constant('send' as const), at: fc.nat({ max: 30 }) }) },
    { weight: 2, arbitrary: fc.record({ does: fc.constant('reload' as const), config: reloadedSections }) },
  ),
  { minLength: 1, maxLength: 30 },
)

const keys = [{ name: 'k', sha256: sha256(KEY) }]

/** A configuration with these sections; null if it is not valid. */
function configOf(parts: object, upstream: string) {
  const read = checkConfigValue(
    patient({
      keys,
      vendors: { acme: { wire: 'openai-chat', base_url: upstream, key: { env: 'ACME_KEY' } } },
      ...parts,
    }),
  )
  return read.ok ? read.config : null
}

it('answers that were begun are whole, whenever the server is reloaded or drains', async () => {
  await checkAsync(
    fc.asyncProperty(scripts, fc.nat({ max: 30 }), async (steps, drainAt) => {
      const arrived: ServerResponse[] = []
      const server = await startTestServer((response) => void arrived.push(response), {
        keys,
        drain: { limit_seconds: 3600 },
      })
      const begun: { readonly kind: Kind; readonly stream: boolean; readonly answer: Promise<string>; sent: number }[] =
        []
      const sendTo = (at: number): void => {
        const [one, response] = [begun[at], arrived[at]]
        const chunk = one === undefined ? undefined : (one.stream ? CHUNKS : PIECES)[one.sent]
        if (one === undefined || response === undefined || chunk === undefined) return
        if (one.sent === 0)
          response.writeHead(200, { 'content-type': one.stream ? 'text/event-stream' : 'application/json' })
        one.sent += 1
        if (one.sent === CHUNKS.length) response.end(chunk)
        else response.write(chunk)
      }
      let drained: Promise<unknown> | null = null
      let reloads = 0
      for (const [at, step] of steps.entries()) {
        if (at === drainAt % (steps.length + 1)) drained = server.running.drain()
        if (step.does === 'send' && begun.length > 0) sendTo(step.at % begun.length)
        if (step.does === 'begin' && drained === null) {
          const kind = KINDS[step.kind] ?? expect.unreachable()
          const answer = post(server.url, kind.body(step.stream), { path: kind.path }).then((response) =>
            response.text(),
          )
          begun.push({ kind, stream: step.stream, answer, sent: 0 })
          await waitUntil(() => arrived.length === begun.length, 'the request')
        }
        if (step.does === 'reload' && drained === null) {
          const config = configOf(step.config, server.upstream.url)
          expect(config).not.toBeNull()
          if (config !== null) await server.running.reload(config)
          reloads += 1
        }
      }
      drained ??= server.running.drain()
      for (const at of begun.keys()) for (const _ of CHUNKS) sendTo(at)
      for (const { kind, stream, answer } of begun) {
        const text = await answer
        if (stream) expect(text.match(kind.end)).toHaveLength(1)
        for (const word of stream ? ['one ', 'two ', 'three'] : ['one two three']) expect(text).toContain(word)
        expect(text).not.toContain('server_stopping')
      }
      await drained
      const lines = server.lines.filter(({ event }) => event === 'request')
      expect(lines.map(({ status, outcome }) => [status, outcome])).toEqual(begun.map(() => [200, 'completed']))
      expect(server.lines.filter(({ event }) => event === 'reloaded')).toHaveLength(reloads)
      expect(server.lines.filter(({ event }) => event === 'bug')).toEqual([])
      await closeAll()
    }),
    120,
  )
})

it('an answer that the drain limit ends is a failure of the server in every client API, at any place of its stream', async () => {
  await checkAsync(
    fc.asyncProperty(fc.nat({ max: KINDS.length - 1 }), fc.nat({ max: 3 }), async (at, chunks) => {
      const kind = KINDS[at] ?? expect.unreachable()
      const server = await startTestServer(
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          for (const chunk of CHUNKS.slice(0, chunks)) response.write(chunk)
          if (chunks === 0) response.flushHeaders()
        },
        { keys, drain: { limit_seconds: 0.05 } },
      )
      const answer = post(server.url, kind.body(true), { path: kind.path })
      const { closed } = await server.upstream.next()
      await server.running.drain()
      const response = await answer
      const text = await response.text()
      expect(text.match(kind.end) ?? []).toEqual(
        kind.path.startsWith('/api/v1/responses') && response.status === 200 ? ['"type":"response.done"'] : [],
      )
      expect(text).toMatch(/server_stopping|"type":"(?:overloaded|api)_error"|stopping|stops/)
      await closed
      const lines = server.lines.filter(({ event }) => event === 'request')
      expect(lines).toEqual([expect.objectContaining({ error: 'server_stopping' })])
      await closeAll()
    }),
    40,
  )
})
