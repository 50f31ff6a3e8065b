import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { createBodyCollector } from '../../../src/engine/body-collector.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import { dialectTarget, type Target } from '../../../src/engine/target.ts'
import { createTranslation } from '../../../src/engine/translation.ts'
import { anthropicMessages } from '../../../src/wires/anthropic-messages/index.ts'
import type { KnownWire } from '../../../src/wires/contract.ts'
import { openaiChat } from '../../../src/wires/openai-chat/index.ts'
import { CLIENT_WIRES } from '../../cross-translate.ts'
import { headOf, toBytes } from '../../engine/run-engine.ts'
import { close, delta, type Event, open, start, stop, textBlock } from '../anthropic-messages/events.ts'
import type { Loose } from '../client-stream.ts'
import { chunk, DONE } from '../openai-chat/answers.ts'

type Answer = readonly [wire: KnownWire, bytes: Uint8Array]

const sse = (events: readonly object[], end = ''): Uint8Array =>
  toBytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + end)
const block = (index: number, content_block: object, ...deltas: readonly object[]) => [
  open(index, content_block),
  ...deltas.map((one) => delta(index, one)),
  close(index),
]
const ofClaude = (model: string, blocks: readonly Event[]): Answer => [
  anthropicMessages,
  sse([start({ model }), ...blocks, ...textBlock(9, 'Hi'), ...stop('end_turn')]),
]

/** The answer as a body and as a stream, with the losses of both. */
function writtenTo(target: Target, [wire, bytes]: Answer) {
  const options = { wire, head: headOf('x'), target, lend: false }
  const [collector, stream] = [createBodyCollector(options), createTranslation(options)]
  for (const piece of [bytes, 'end'] as const) collector.push(piece)
  const text = new TextDecoder().decode(Buffer.concat([stream.push(bytes), stream.push('end')]))
  return { body: collector.body() as Loose, text, losses: [collector, stream].map((one) => one.outcome().losses) }
}

const found = { type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: 'w' }] }
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_regex', input: {} }
// biome-ignore format: a row a case
const CONTENT: Readonly<Record<string, readonly Event[]>> = {
  compaction: block(0, { type: 'compaction', content: null },
    { type: 'compaction_delta', content: 'Summary.', encrypted_content: 'c2VhbA==' }),
  'a search for tools': [...block(0, search, { type: 'input_json_delta', partial_json: '{"pattern":"weather"}' }),
    ...block(1, { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: found })],
}

it.each(Object.entries(CONTENT))(
  '%s of Claude arrives as its own blocks at Claude, and is a loss elsewhere',
  (_, blocks) => {
    const answer = ofClaude('claude-1', blocks)
    const { body, losses } = writtenTo(wireTarget(anthropicMessages), answer)
    expect(losses).toEqual([[], []])
    const types = blocks.flatMap(({ content_block: one }) => (one === undefined ? [] : [{ type: (one as Event).type }]))
    expect(body.content).toMatchObject([...types, { type: 'text' }])
    for (const lost of writtenTo(wireTarget(openaiChat), answer).losses) expect(lost).not.toEqual([])
  },
)

const ANSWERS: Readonly<Record<string, Answer>> = {
  'openai-chat': [
    openaiChat,
    sse([chunk({ content: 'a' }, null, { model: 'first' }), chunk({}, 'stop', { model: 'last' })], DONE),
  ],
  'anthropic-messages': ofClaude(
    'first',
    block(0, { type: 'fallback', from: { model: 'first' }, to: { model: 'last' } }),
  ),
}
const TARGETS = [...Object.values(DIALECTS).map(dialectTarget), ...CLIENT_WIRES.map((wire) => wireTarget(wire))]

describe.each(Object.entries(ANSWERS))('the model of an answer of %s that names two', (_, answer) => {
  it.each(TARGETS)('is the one that answered, in a body and at the end of a stream for $name', (target) => {
    const { body, text } = writtenTo(target, answer)
    expect(body.model ?? body.modelVersion).toBe('last')
    const named = text.match(/"(?:model|modelVersion)":"[^"]*"/g)?.at(-1)
    // A message of Anthropic names its model in its first event, before another one can answer.
    if (target.name !== 'anthropic-messages') expect(named).toMatch(/:"last"$/)
  })
})
