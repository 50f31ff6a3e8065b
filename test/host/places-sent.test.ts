import { describe, expect, it } from 'vitest'
import { valueAt } from '../../src/text/value-at.ts'
import type { WIRES } from '../../src/wires/registry.ts'
import { IS_WHOLE } from '../property.ts'
import { json, KEY, type Loose, openGateway } from './harness.ts'
import { SENT } from './places-sent.ts'
import { SPEAKERS } from './speakers.ts'

/** Whatever is told of a request, of a loss or of a refusal, stands at a place that its client wrote. */

/** Of every wire, models that take much and models that take little. */
const MODELS = {
  'anthropic-messages': ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-3-5-haiku-latest'],
  'gemini-generate': ['gemini-3-pro', 'gemini-2.5-flash', 'gemini-2.0-flash'],
  'bedrock-converse': ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0', 'some.model'],
  'cohere-chat': ['command-a-reasoning-08-2025', 'command-r'],
  'ollama-chat': ['gpt-oss:20b', 'qwen3'],
  'openai-chat': ['gpt-5.1', 'chat-1'],
  'openai-responses': ['gpt-5.1', 'gpt-4.1'],
} as const satisfies Record<keyof typeof WIRES, readonly string[]>

const OPENAI = { openaiModels: true, openaiFields: true, customTools: true }
const PICKY = { refuses: ['top_logprobs', 'parallel_tool_calls', 'reasoning.summary'], noJsonSchema: true }

const upstreams = (): readonly { readonly vendor: object; readonly model: string }[] =>
  Object.values(SPEAKERS).flatMap(({ wire, quirks }) =>
    (wire.startsWith('openai-') ? [quirks, OPENAI, PICKY] : [quirks]).flatMap((own) =>
      MODELS[wire].map((model) => ({
        vendor: { wire, base_url: 'http://127.0.0.1:9', key: 'x', quirks: own },
        model,
      })),
    ),
  )

/** Of a whole request, where nothing in it is to blame: an upstream that must have the tools that the history calls. */
const WHOLE: ReadonlySet<string> = new Set(['tools'])

/** Of what stands inside a message, the message is told: there may be several such things. */
const MESSAGE = /^\w+\[\d+\]$/

const messageIn = ({ error }: Loose): string => (typeof error === 'string' ? error : error.message)

/** The places that an answer tells of: those of losses, and that of a refusal. */
async function toldBy(answer: Response): Promise<readonly string[]> {
  const losses = (answer.headers.get('x-responses-losses') ?? '').split(', ').filter((loss) => loss !== '')
  const places = losses.map((loss) => loss.split(' ', 1)[0] ?? '')
  // Nobody listens at the address: that is told of what nobody minds.
  if (answer.status === 502) return places
  const message = messageIn(await json(answer))
  return [...places, /^([\w.[\]]+): /.exec(message)?.[1] ?? message]
}

describe.each(Object.entries(SENT))('of %s', (_, { path, bodies }) => {
  it.each(bodies.map((body, at) => [JSON.stringify(body).slice(0, 120), body, at] as const))(
    '%s',
    async (_, body, at) => {
      const vendors = Object.fromEntries(upstreams().map(({ vendor }, i) => [`v${i}`, vendor]))
      const { url } = await openGateway({ vendors, retry: { attempts: 1 } })
      const strays = new Set<string>()
      for (const [i, { model }] of upstreams().entries()) {
        // Short runs send each body to some, and to each some bodies.
        if (!IS_WHOLE && (i + at) % 5 !== 0) continue
        const asked = `v${i}/${model}`
        const answer = await fetch(`${url}/api/v1${path.replace('*', encodeURIComponent(asked))}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, ...(path.includes('*') ? {} : { model: asked }) }),
        })
        const told = await toldBy(answer)
        const twice = told.filter((place, at) => told.indexOf(place) < at && !MESSAGE.test(place))
        const nowhere = told.filter((place) => valueAt(body, place) === undefined && !WHOLE.has(place))
        for (const place of nowhere) strays.add(`${place} @ ${asked}`)
        for (const place of twice) strays.add(`twice ${place} @ ${asked}`)
      }
      expect([...strays]).toEqual([])
    },
  )
})
