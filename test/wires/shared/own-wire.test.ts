import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { createBodyCollector } from '../../../src/engine/body-collector.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import { dialectTarget } from '../../../src/engine/target.ts'
import { createTranslation } from '../../../src/engine/translation.ts'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
import { geminiGenerate } from '../../../src/wires/gemini-generate/index.ts'
import { ollamaChat } from '../../../src/wires/ollama-chat/index.ts'
import { openaiChat } from '../../../src/wires/openai-chat/index.ts'
import { headOf } from '../../engine/run-engine.ts'

const sse = (events: readonly { readonly type: string }[]): Uint8Array =>
  new TextEncoder().encode(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))

const begins = (model: string) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage: { input_tokens: 1 } },
})
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const ENDS = [
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
]
const SAYS = block(9, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' })

const CONTENT = {
  compaction: block(
    0,
    { type: 'compaction', content: null },
    { type: 'compaction_delta', content: 'Summary.', encrypted_content: 'c2VhbA==' },
  ),
  'a search for tools': [
    ...block(
      0,
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: {} },
      { type: 'input_json_delta', partial_json: '{"pattern":"weather"}' },
    ),
    ...block(1, {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'w' }],
      },
    }),
  ],
}

describe.each(Object.entries(CONTENT))('%s of Claude, for a client of the same protocol', (_, blocks) => {
  const bytes = sse([begins('claude-1'), ...blocks, ...SAYS, ...ENDS])
  const options = { wire: anthropicMessages, head: headOf('x'), target: wireTarget(anthropicMessages), lend: false }

  it('arrives as its own blocks, and is no loss', () => {
    const collector = createBodyCollector(options)
    collector.push(bytes)
    collector.push('end')
    expect(collector.outcome().losses).toEqual([])
    const types = blocks.flatMap((event) => ('content_block' in event ? [event.content_block] : []))
    expect(collector.body().content).toMatchObject([...types.map(({ type }: Loose) => ({ type })), { type: 'text' }])
    const stream = createTranslation(options)
    stream.push(bytes)
    stream.push('end')
    expect(stream.outcome().losses).toEqual([])
  })

  it('is a loss for a client of another protocol', () => {
    const collector = createBodyCollector({ ...options, target: wireTarget(openaiChat) })
    collector.push(bytes)
    collector.push('end')
    expect(collector.outcome().losses).not.toEqual([])
  })
})

// biome-ignore lint/suspicious/noExplicitAny: bodies of several protocols
type Loose = any

describe('the model of a whole answer that names two', () => {
  const chunk = (model: string, choice: object): string =>
    `data: ${JSON.stringify({ model, choices: [{ index: 0, ...choice }] })}\n\n`
  const UPSTREAMS = {
    'openai-chat': [
      openaiChat,
      new TextEncoder().encode(
        `${chunk('first', { delta: { content: 'a' } })}${chunk('last', { delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
      ),
    ],
    'anthropic-messages': [
      anthropicMessages,
      sse([
        begins('first'),
        ...block(0, { type: 'fallback', from: { model: 'first' }, to: { model: 'last' } }),
        ...SAYS,
        ...ENDS,
      ]),
    ],
  } as const
  const TARGETS = [
    ...Object.values(DIALECTS).map(dialectTarget),
    ...[anthropicMessages, openaiChat, ollamaChat, geminiGenerate].map((wire) => wireTarget(wire)),
  ]

  it.each(
    Object.entries(UPSTREAMS).flatMap(([from, upstream]) =>
      TARGETS.map((target) => [from, target.name, target, upstream] as const),
    ),
  )('is the one that answered: %s to %s', (_, __, target, [wire, bytes]) => {
    const collector = createBodyCollector({ wire, head: headOf('x'), target })
    collector.push(bytes)
    collector.push('end')
    const body: Loose = collector.body()
    expect(body.model ?? body.modelVersion).toBe('last')
  })

  // A message of Anthropic names its model in its first event, before another one can answer.
  it.each(
    Object.entries(UPSTREAMS).flatMap(([from, upstream]) =>
      TARGETS.filter(({ name }) => name !== 'anthropic-messages').map(
        (target) => [from, target.name, target, upstream] as const,
      ),
    ),
  )('is at the end of a stream the one that answered: %s to %s', (_, __, target, [wire, bytes]) => {
    const stream = createTranslation({ wire, head: headOf('x'), target, lend: false })
    const text = new TextDecoder().decode(Buffer.concat([stream.push(bytes), stream.push('end')]))
    expect(text.match(/"(?:model|modelVersion)":"[^"]*"/g)?.at(-1)).toMatch(/:"last"$/)
  })
})
