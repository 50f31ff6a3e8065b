import { describe, expect, it } from 'vitest'
import { valueAt } from '../../../src/text/json-path.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { IS_WHOLE } from '../../property.ts'
import { withKits } from '../../wires/with-kits.ts'
import { json, KEY, type Loose, startGateway } from '../test-server.ts'
import { INVALID_REQUESTS } from './source-map-requests.ts'

/** Every path in a loss or an error of a request exists in the body that its client sent. */

/** For every wire, models that accept many fields and models that accept few. */
const MODELS: Readonly<Record<WireName, readonly string[]>> = withKits(
  {
    'anthropic-messages': ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-3-5-haiku-latest'],
    'gemini-generate': ['gemini-3-pro', 'gemini-2.5-flash', 'gemini-2.0-flash'],
    'bedrock-converse': ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0', 'some.model'],
    'cohere-chat': ['command-a-reasoning-08-2025', 'command-r'],
    'ollama-chat': ['gpt-oss:20b', 'qwen3'],
    'openai-chat': ['gpt-5.1', 'chat-1'],
    'openai-responses': ['gpt-5.1', 'gpt-4.1'],
  },
  ({ schema }) => schema.models,
)

const OPENAI = { openaiModels: true, openaiFields: true, customTools: true }
const PICKY = { refuses: ['top_logprobs', 'parallel_tool_calls', 'reasoning.summary'], noJsonSchema: true }

const upstreams = (): readonly { readonly vendor: object; readonly model: string }[] =>
  Object.values(WIRE_UPSTREAMS).flatMap(({ wire, quirks }) =>
    (wire.startsWith('openai-') ? [quirks, OPENAI, PICKY] : [quirks]).flatMap((own) =>
      MODELS[wire].map((model) => ({
        vendor: { wire, base_url: 'http://127.0.0.1:9', key: 'x', quirks: own },
        model,
      })),
    ),
  )

/**
 * Paths that concern the whole request and none of its values: an upstream may require the tools that the history
 * calls.
 */
const WHOLE: ReadonlySet<string> = new Set(['tools'])

/** A value inside a message is reported with the path of the message or its part, which may therefore occur several times. */
const MESSAGE = /^\w+\[\d+\](?:\.\w+\[\d+\])?$/

const messageIn = ({ error }: Loose): string => (typeof error === 'string' ? error : error.message)

/** Returns the paths that an answer reports: those of losses, and that of an error. */
async function reportedBy(answer: Response): Promise<readonly string[]> {
  const losses = (answer.headers.get('x-responses-losses') ?? '').split(', ').filter((loss) => loss !== '')
  const places = losses.map((loss) => loss.split(' ', 1)[0] ?? '')
  // No server listens at the upstream's address: a 502 means that the request was accepted.
  if (answer.status === 502) return places
  const message = messageIn(await json(answer))
  return [...places, /^([\w.[\]]+): /.exec(message)?.[1] ?? message]
}

describe.each(Object.entries(INVALID_REQUESTS))('the paths reported to clients of %s', (_, { path, bodies }) => {
  it.each(bodies.map((body, at) => [JSON.stringify(body).slice(0, 120), body, at] as const))(
    'exist in the request and occur once: %s',
    async (_, body, at) => {
      const vendors = Object.fromEntries(upstreams().map(({ vendor }, i) => [`v${i}`, vendor]))
      const { url } = await startGateway({ vendors, retry: { attempts: 1 } })
      const strays = new Set<string>()
      for (const [i, { model }] of upstreams().entries()) {
        // Short runs send each body to a fifth of the upstreams.
        if (!IS_WHOLE && (i + at) % 5 !== 0) continue
        const asked = `v${i}/${model}`
        const answer = await fetch(`${url}/api/v1${path.replace('*', encodeURIComponent(asked))}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, ...(path.includes('*') ? {} : { model: asked }) }),
        })
        const reported = await reportedBy(answer)
        const twice = reported.filter((place, at) => reported.indexOf(place) < at && !MESSAGE.test(place))
        const nowhere = reported.filter((place) => valueAt(body, place) === undefined && !WHOLE.has(place))
        for (const place of nowhere) strays.add(`${place} @ ${asked}`)
        for (const place of twice) strays.add(`twice ${place} @ ${asked}`)
      }
      expect([...strays]).toEqual([])
    },
  )
})
