import { describe, expect, it } from 'vitest'
import type { Delta } from '../../src/protocol/delta.ts'
import type { HostedItem, HostedItemType } from '../../src/protocol/item.ts'
import { collectTo, streamBodyTo, tellTo, tellWholeTo, translateBodyTo, translateTo } from '../../src/to-client.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENT_WIRES, crossed } from '../crossing.ts'
import { FEATURES, verdictOn } from '../features.ts'
import { headOf, toBytes } from '../translated.ts'

/** What an answer has said and its client is not told is a recorded loss, and nothing else is. */

const optionsTo = (to: (typeof CLIENT_WIRES)[number]) => ({ wire: WIRES['openai-responses'], to, head: headOf('x') })

function lossesOf(to: (typeof CLIENT_WIRES)[number], deltas: readonly Delta[]): readonly string[] {
  const told = tellTo(optionsTo(to))
  told.tell(deltas)
  told.end()
  return told.outcome(1).losses
}

/** Whether its client is told half of it, or nothing. */
const CUT = 'a call whose arguments are no JSON object'

/** Rows of the loss table that say whether something is there, not how. */
const CONTENT: Readonly<Record<string, string>> = {
  'encrypted reasoning of another vendor': 'encrypted_content',
  'calls: truncated arguments': CUT,
  'cited pages': 'url_citation',
  'cited files': 'file_citation',
  'log probabilities': 'logprobs',
  'web searches of the upstream': 'web_search_call',
  'code that the upstream ran': 'code_interpreter_call',
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

describe.each(CLIENT_WIRES)('$name', (to) => {
  it.each(FEATURES.filter(({ name }) => name in CONTENT))('$name', (feature) => {
    const lost = CONTENT[feature.name] === CUT || verdictOn(to, feature) === 'dropped'
    expect(lossesOf(to, feature.deltas)).toEqual(lost ? [CONTENT[feature.name]] : [])
  })

  it.each(FEATURES.filter(({ name }) => !(name in CONTENT || name.startsWith('cited pages:'))))(
    'no content of $name is lost',
    ({ deltas }) => {
      expect(lossesOf(to, deltas)).toEqual([])
    },
  )

  it.each(Object.keys(ITEMS) as HostedItemType[])('%s', (type) => {
    const item: HostedItem = { type, id: 'h_1', status: 'completed', fields: ITEMS[type] }
    const deltas: readonly Delta[] = [{ kind: 'hosted', key: 'h', item, done: true }, HI, STOP]
    const told = JSON.stringify(crossed(to, deltas)) !== JSON.stringify(crossed(to, [HI, STOP]))
    expect(lossesOf(to, deltas)).toEqual(told ? [] : [type])
  })
})

it('however an answer is told', () => {
  const to = CLIENT_WIRES.find(({ name }) => name === 'ollama-chat') as (typeof CLIENT_WIRES)[number]
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'sun' } }
  const response = { id: 'r', model: 'm', status: 'completed', output: [item] }
  const bytes = toBytes(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`)
  const options = optionsTo(to)
  const [streamed, collected, whole] = [translateTo(options), collectTo(options), tellWholeTo(options)]
  streamed.receive(bytes)
  streamed.end()
  collected.receive(bytes)
  collected.end()
  whole.tell([{ kind: 'hosted', key: 'h', item: { ...item, type: 'web_search_call', fields: {} }, done: true }, STOP])
  whole.end()
  const body = JSON.stringify(response)
  const outcomes = [streamed.outcome(), collected.outcome(), whole.outcome(1)]
  const told = [...outcomes, translateBodyTo(options, body).outcome, streamBodyTo(options, body).outcome]
  expect(told.map(({ losses }) => losses)).toEqual(told.map(() => ['web_search_call']))
})
