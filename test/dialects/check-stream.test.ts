import { describe, expect, it } from 'vitest'
import { type CheckRule, checkStream, inspectStream } from '../../src/dialects/check-stream.ts'
import type { Dialect } from '../../src/dialects/dialect.ts'
import { openaiReasoningText } from '../../src/dialects/openai.ts'
import { HOSTED_MEMBERS } from '../../src/responses/hosted-members.ts'
import {
  ALL_KINDS,
  BETA,
  BETA_KINDS,
  beta,
  corrupted,
  type Loose,
  OPENAI,
  of,
  offsetOf,
  openai,
  rulesOf,
  textOf,
  toEvents,
} from './written-json.ts'

describe('the check of correct streams', () => {
  it.each(['completed', 'incomplete', 'failed'] as const)('reports no violation in either dialect: %s', (status) => {
    expect(checkStream(textOf(openai, ALL_KINDS, status), openai)).toEqual([])
    expect(checkStream(textOf(openaiReasoningText, ['raw-reasoning', 'message'], status), openai)).toEqual([])
    expect(checkStream(textOf(beta, BETA_KINDS, status), beta)).toEqual([])
    expect(checkStream(textOf(openai, [], status), openai)).toEqual([])
  })

  it('counts events without the terminator', () => {
    expect(inspectStream(BETA, beta).events).toBe(toEvents(BETA).length)
  })

  it('accepts comments between and inside frames', () => {
    expect(rulesOf(`: hello\n\n${OPENAI.replace('\n', '\n: ping\n')}`, openai)).toEqual([])
  })

  it('accepts a numbered stream without a terminator', () => {
    expect(rulesOf(OPENAI.replace('data: [DONE]\n\n', ''), openai)).toEqual([])
  })

  it('accepts an event line after the data line', () => {
    expect(rulesOf(OPENAI.replace(/(event: .*)\n(data: .*)\n/, '$2\n$1\n'), openai)).toEqual([])
  })
})

const BYTES: readonly (readonly [rule: CheckRule, what: string, dialect: Dialect, spoil: (text: string) => string])[] =
  [
    ['framing', 'CRLF', openai, (text) => text.replaceAll('\n', '\r\n')],
    ['framing', 'one CR', beta, (text) => text.replace('\n', '\r\n')],
    ['framing', 'a byte order mark', openai, (text) => `\uFEFF${text}`],
    ['framing', 'no blank line at the end', openai, (text) => text.slice(0, -1)],
    ['framing', 'an id line', openai, (text) => text.replace('data: ', 'id: 1\ndata: ')],
    ['framing', 'no space', beta, (text) => text.replace('data: ', 'data:')],
    ['framing', 'two spaces', beta, (text) => text.replace('data: ', 'data:  ')],
    ['framing', 'two data lines', beta, (text) => text.replace('\n\n', '\ndata: {}\n\n')],
    ['framing', 'no data line', openai, (text) => text.replace('data: ', ': data: ')],
    ['json', 'half an object', openai, (text) => text.replace('}\n', '\n')],
    ['json', 'a list', beta, (text) => text.replace(/data: .*/, 'data: [1]')],
    ['json', 'no type', beta, (text) => text.replace('"type":', '"kind":')],
    ['json', 'a cut file', beta, (text) => text.slice(0, text.length / 2)],
    ['event-line', 'none', openai, (text) => text.replace(/event: .*\n/, '')],
    ['event-line', 'another', openai, (text) => text.replace(/event: .*\n/, 'event: error\n')],
    ['event-line', 'two', openai, (text) => text.replace(/(event: .*\n)/, '$1$1')],
    ['event-line', 'one too many', beta, (text) => text.replace('data: ', 'event: response.created\ndata: ')],
    ['terminator', 'none', beta, (text) => text.replace('data: [DONE]\n\n', '')],
    ['terminator', 'early', openai, (text) => text.replace('\n\n', '\n\ndata: [DONE]\n\n')],
    ['terminator', 'with an event line', openai, (text) => text.replace('data: [DONE]', 'event: done\ndata: [DONE]')],
    ['opening', 'an empty file', openai, () => ''],
  ]

describe('the check of damaged bytes', () => {
  it.each(BYTES)('reports a violation of the rule %s for changed bytes: %s', (rule, _, dialect, spoil) => {
    expect(rulesOf(spoil(dialect === beta ? BETA : OPENAI), dialect)).toContain(rule)
  })
})

describe('the check of an openai stream', () => {
  const SPOILT: readonly (readonly [CheckRule, string, (events: Loose[]) => unknown])[] = [
    [
      'event',
      'a name of the other dialect',
      (e) => (of(e, 'response.output_text.delta').type = 'response.content_part.delta'),
    ],
    ['event', 'an extension', (e) => e.splice(2, 0, { type: 'acme:hello' })],
    [
      'event',
      'an internal name that the dialect does not write',
      (e) => e.splice(2, 0, { type: 'recap', response: {} }),
    ],
    ['item', 'sealed reasoning of null', (e) => (of(e, 'response.output_item.done').item.encrypted_content = null)],
    ['annotation', 'no title', (e) => delete of(e, 'response.content_part.done').part.annotations[0].title],
    ['usage', 'no details', (e) => delete e.at(-1).response.usage.input_tokens_details],
    ['columns', 'no item id', (e) => delete of(e, 'response.output_text.delta').item_id],
    ['response', 'reasoning without effort', (e) => (e[0].response.reasoning = {})],
  ]

  it.each(SPOILT)('reports a violation of the rule %s for a changed event: %s', (rule, _, spoil) => {
    expect(rulesOf(corrupted(OPENAI, openai, spoil), openai)).toContain(rule)
  })

  it.each([
    ['one more', '"sequence_number":3', '"sequence_number":4'],
    ['none', '"sequence_number":3,', ''],
    ['a string', '"sequence_number":3', '"sequence_number":"3"'],
  ])('reports a wrong sequence number: %s', (_, from, to) => {
    const found = checkStream(OPENAI.replace(from, to), openai)
    expect(found.map(({ event, rule }) => [event, rule])[0]).toEqual([3, 'sequence'])
  })

  it('accepts additional fields in events', () => {
    const more = corrupted(OPENAI, openai, (e) => (of(e, 'response.output_text.delta').obfuscation = 'xyz'))
    expect(rulesOf(more, openai)).toEqual([])
  })

  it('accepts events without the fields that some services omit', () => {
    const less = corrupted(OPENAI, openai, (e) => {
      for (const event of e) {
        delete event.logprobs
        delete event.name
      }
    })
    expect(rulesOf(less, openai)).toEqual([])
  })

  it('accepts standard events that this gateway does not emit', () => {
    const hosted = corrupted(textOf(openai, ['search']), openai, (e) => {
      const item = { type: 'mcp_call', id: 'mcp_0', arguments: '{}', name: 'x', server_label: 's' }
      const at = { item_id: 'mcp_0', output_index: 0 }
      const events = [
        { type: 'keepalive' },
        { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
        { type: 'response.mcp_call.in_progress', ...at },
        { type: 'response.mcp_call_arguments.delta', ...at, delta: '{}' },
        { type: 'response.mcp_call_arguments.done', ...at, arguments: '{}' },
        { type: 'response.mcp_call.completed', ...at },
        { type: 'response.output_item.done', output_index: 0, item },
      ]
      e.splice(2, offsetOf(e, 'response.completed') - 2, ...events)
      e.at(-1).response.output = [item]
    })
    expect(checkStream(hosted, openai)).toEqual([])
    const twice = corrupted(
      hosted,
      openai,
      (e) => (of(e, 'response.mcp_call.in_progress').type = 'response.mcp_call.failed'),
    )
    expect(rulesOf(twice, openai)).toEqual(['phase'])
    const longer = corrupted(hosted, openai, (e) => (of(e, 'response.mcp_call_arguments.delta').delta = '{ }'))
    expect(rulesOf(longer, openai)).toEqual(['arguments'])
  })

  it('accepts response.queued after the first event', () => {
    const queued = corrupted(OPENAI, openai, (e) => {
      const response = { ...e[0].response, status: 'queued' }
      e.splice(1, 0, { type: 'response.queued', response })
    })
    expect(rulesOf(queued, openai)).toEqual([])
  })
})

describe.each(Object.entries(HOSTED_MEMBERS))(
  'an item %s in an openai stream',
  (type, { names, content, statuses }) => {
    const status = statuses === null ? {} : { status: 'completed' }
    const item: Loose = {
      type,
      id: 'it_0',
      ...status,
      ...names,
      ...content,
      ...('call_id' in names ? { call_id: 'c' } : {}),
    }
    const rulesWith = (added: Loose, done: Loose): readonly string[] =>
      rulesOf(
        corrupted(textOf(openai, ['search']), openai, (e) => {
          const events = [
            { type: 'response.output_item.added', output_index: 0, item: added },
            { type: 'response.output_item.done', output_index: 0, item: done },
          ]
          e.splice(2, offsetOf(e, 'response.completed') - 2, ...events)
          e.at(-1).response.output = [done]
        }),
        openai,
      )
    const required = Object.keys(item).filter((name) => name !== 'type' && (name !== 'status' || type !== 'mcp_call'))

    it('is accepted with all members of its type', () => {
      expect(rulesWith(item, item)).toEqual([])
    })

    it.each(required)('is a violation without %s', (name) => {
      const { [name]: _, ...less } = item
      expect(rulesWith(item, less)).toContain('item')
      // OpenAI's own service begins these items without the member.
      const later = `${type}.${name}`
      const isLate = later === 'web_search_call.action' || later === 'image_generation_call.result'
      expect(rulesWith(less, item).includes('added')).toBe(!isLate)
    })
  },
)
