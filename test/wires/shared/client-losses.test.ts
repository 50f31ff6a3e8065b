import { describe, expect, it } from 'vitest'
import { createBodyCollector, translateWholeBody } from '../../../src/engine/body-collector.ts'
import { wireTarget } from '../../../src/engine/client-target.ts'
import { createTranslation, streamWholeBody } from '../../../src/engine/translation.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { HostedItem, HostedItemType } from '../../../src/protocol/item.ts'
import { lookup } from '../../../src/text/lookup.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { CLIENT_WIRES, crossTranslate } from '../../cross-translate.ts'
import { builtFrom, endOf, headOf, toBytes, writtenFrom } from '../../engine/run-engine.ts'
import { FEATURES, supportOf } from '../../support-matrix.ts'

/** Content of an answer that its client does not receive is a recorded loss, and nothing else is. */

const optionsTo = (to: (typeof CLIENT_WIRES)[number]) => ({
  wire: WIRES['openai-responses'],
  target: wireTarget(to),
  head: headOf('x'),
})

const lossesOf = (to: (typeof CLIENT_WIRES)[number], deltas: readonly Delta[]): readonly string[] =>
  writtenFrom(optionsTo(to), deltas).outcome.losses

/** A loss for every client, whether it receives a part of the call or nothing. */
const CUT = 'a call whose arguments are not a JSON object'

/** Rows of the loss table about the presence of a value, not about its form, each with the name of its loss. */
const CONTENT: Readonly<Record<string, string>> = {
  'encrypted reasoning of another vendor': 'encrypted_content',
  'calls: truncated arguments': CUT,
  'cited pages': 'url_citation',
  'cited files': 'file_citation',
  'log probabilities': 'logprobs',
  'web searches of the upstream': 'web_search_call',
  'code that the upstream ran': 'code_interpreter_call',
}

/** Counts above 0, each with the name of its loss. */
const COUNTS: Readonly<Record<string, string>> = {
  'usage: cached': 'usage.cached_tokens',
  'usage: written to a cache': 'usage.cache_write_tokens',
  'usage: written to a cache, by lifetime': 'usage.cache_writes',
  'usage: reasoning': 'usage.reasoning_tokens',
}

const HI: Delta = { kind: 'text', key: 'text', part: '', text: 'The sun is up.', logprobs: null }
const STOP: Delta = { kind: 'finish', reason: 'stop' }

const ITEMS: Readonly<Record<HostedItemType, HostedItem['fields']>> = {
  web_search_call: { action: { type: 'search', query: 'sunrise' } },
  file_search_call: { queries: ['sunrise'], results: null },
  code_interpreter_call: { code: '1 + 1', outputs: [] },
  image_generation_call: { result: 'aGVsbG8=' },
  mcp_call: { name: 'look', server_label: 'sky', arguments: '{}', output: 'up' },
  mcp_list_tools: { server_label: 'sky', tools: [] },
  mcp_approval_request: { server_label: 'sky', name: 'look', arguments: '{}' },
  shell_call: { action: { commands: ['ls'] } },
  shell_call_output: { output: [] },
  local_shell_call: { action: { type: 'exec', command: ['ls'] } },
  apply_patch_call: { operation: {} },
  apply_patch_call_output: { output: '' },
  computer_call: { action: { type: 'wait' } },
  tool_search_call: { arguments: {} },
  tool_search_output: { tools: [] },
  program: { code: '1' },
  program_output: { result: '1' },
  compaction: {},
}

describe.each(CLIENT_WIRES)('an answer for $name clients', (to) => {
  it.each(FEATURES.filter(({ name }) => name in CONTENT))('records a loss exactly if it lacks $name', (feature) => {
    const lost = CONTENT[feature.name] === CUT || supportOf(to, feature) === 'dropped'
    expect(lossesOf(to, feature.deltas)).toEqual(lost ? [CONTENT[feature.name]] : [])
  })

  it.each(FEATURES.filter(({ name }) => name in COUNTS))('records a loss exactly if it lacks $name', (feature) => {
    const lost = supportOf(to, feature) === 'dropped'
    expect(lossesOf(to, feature.deltas).includes(COUNTS[feature.name] ?? '')).toBe(lost)
  })

  it('records no count of 0 as a loss', () => {
    const counts = { input_tokens: 5, output_tokens: 7, total_tokens: 12, cached_tokens: 0, reasoning_tokens: 0 }
    expect(lossesOf(to, [HI, { kind: 'usage', usage: counts }, STOP])).toEqual([])
  })

  it.each(FEATURES.filter(({ name }) => !(name in CONTENT || /^cited pages:|usage/.test(name))))(
    'records no loss of content for $name',
    ({ deltas }) => {
      expect(lossesOf(to, deltas)).toEqual([])
    },
  )

  it.each([
    [{ origin: { caller: { type: 'program', caller_id: 'p' } } }, ['the caller of a call']],
    [{ origin: { async: true } }, ['a call that may be answered later']],
    [{ origin: { caller: { type: 'direct' }, async: false } }, []],
  ])('records %j of a call as a loss unless it has no effect', (details, losses) => {
    const call = { kind: 'call', key: 'c', callId: 'c_1', name: 'f', arguments: '{}', ...details } as const
    for (const type of ['function_call', 'custom_tool_call'] as const)
      expect(lossesOf(to, [{ ...call, type }, STOP])).toEqual(losses)
  })

  it('records a page that the upstream opened as a loss unless it is written', () => {
    const fields = { action: { type: 'open_page', url: 'https://a.example/' } }
    const item: HostedItem = { type: 'web_search_call', id: 'ws_1', status: 'completed', fields }
    const known = { 'gemini-generate': [], 'gemini-interactions': [], 'anthropic-messages': ['web_search_call.action'] }
    const losses = lookup<readonly string[]>(known, to.name) ?? ['web_search_call']
    expect(lossesOf(to, [{ kind: 'hosted', key: 'h', item, done: true }, HI, STOP])).toEqual(losses)
  })

  it('records the namespace of a call as a loss unless it is the name of a toolset', () => {
    const call = { kind: 'call', key: 'c', callId: 'c_1', name: 'f', arguments: '{}', namespace: 'crm' } as const
    const losses = to.name === 'anthropic-messages' ? [] : ['the namespace of a call']
    for (const type of ['function_call', 'custom_tool_call'] as const)
      expect(lossesOf(to, [{ ...call, type }, STOP])).toEqual(losses)
  })

  it.each([
    ['commentary', ['the phase of a message']],
    ['final_answer', []],
  ])('records the phase %s of a message as a loss unless it is the answer', (phase, losses) => {
    expect(lossesOf(to, [{ kind: 'phase', key: 'text', phase }, HI, STOP])).toEqual(losses)
  })

  it.each(Object.keys(ITEMS) as HostedItemType[])('records a loss exactly if the item %s is not written', (type) => {
    const item: HostedItem = { type, id: 'h_1', status: 'completed', fields: ITEMS[type] }
    const deltas: readonly Delta[] = [{ kind: 'hosted', key: 'h', item, done: true }, HI, STOP]
    const isVisible = JSON.stringify(crossTranslate(to, deltas)) !== JSON.stringify(crossTranslate(to, [HI, STOP]))
    expect(lossesOf(to, deltas)).toEqual(isVisible ? [] : [type])
  })
})

it('records the same losses for a streamed, a collected and a whole answer', () => {
  const to = CLIENT_WIRES.find(({ name }) => name === 'ollama-chat') as (typeof CLIENT_WIRES)[number]
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'sun' } }
  const response = { id: 'r', model: 'm', status: 'completed', output: [item] }
  const bytes = toBytes(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`)
  const options = optionsTo(to)
  const [streamed, collected] = [createTranslation(options), createBodyCollector(options)]
  streamed.push(bytes)
  streamed.push('end')
  collected.push(bytes)
  endOf(collected)
  const hosted = {
    kind: 'hosted',
    key: 'h',
    item: { ...item, type: 'web_search_call', fields: {} },
    done: true,
  } as const
  const body = JSON.stringify(response)
  const outcomes = [streamed.outcome(), collected.outcome(), builtFrom(options, [hosted, STOP]).outcome]
  const all = [...outcomes, translateWholeBody(options, body).outcome, streamWholeBody(options, body).outcome]
  expect(all.map(({ losses }) => losses)).toEqual(all.map(() => ['web_search_call']))
})
