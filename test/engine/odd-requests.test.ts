import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { valueAt } from '../../src/text/json-path.ts'

/**
 * Requests as programs send them, in forms that their vendors refuse: a row has the members that the upstream must
 * receive, by their paths; undefined for none.
 */
type Row = readonly [
  title: string,
  upstream: readonly [vendor: string, model: string],
  body: object,
  sent: Readonly<Record<string, unknown>>,
]

function check(client: TargetName, [, [vendor, model], body, sent]: Row): void {
  const found = explainRequest({ model: 'm', ...body }, { client, vendor, model })
  if (!found.ok) return expect.unreachable(found.error.message)
  for (const [path, value] of Object.entries(sent))
    expect({ [path]: valueAt(found.upstream, path) }).toEqual({ [path]: value })
}

// ---------------------------------------------------------------- Responses

const OPENAI = ['openai', 'gpt-5.4'] as const
const HOSTS = [OPENAI, ['groq', 'openai/gpt-oss-120b'], ['anthropic', 'claude-sonnet-5-5']] as const
const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
const asked = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'c1',
  name: 'look',
  arguments: '{"q":1}',
  ...more,
})
const found = (more: object = {}) => ({ type: 'function_call_output', call_id: 'c1', output: 'ok', ...more })
const history = (...items: object[]) => ({ input: [said, ...items] })
const answered = (output: unknown) => history(asked(), found({ output }))

const RESPONSES: readonly Row[] = [
  [
    'arguments that are an object',
    OPENAI,
    history(asked({ arguments: { q: 1 } }), found()),
    { 'input.1.arguments': '{"q":1}' },
  ],
  ['no output', OPENAI, answered(null), { 'input.2.output': '' }],
  ['an output that is an object', OPENAI, answered({ t: 3 }), { 'input.2.output': '{"t":3}' }],
  ['an output that is a number', OPENAI, answered(3), { 'input.2.output': '3' }],
  ['an output of values that are no parts', OPENAI, answered([{ t: 3 }]), { 'input.2.output': '[{"t":3}]' }],
  [
    'the parts of an MCP server as an output',
    OPENAI,
    answered([{ type: 'text', text: 'a' }]),
    { 'input.2.output': 'a' },
  ],
  [
    'ids that are empty',
    OPENAI,
    history(asked({ call_id: '' }), found({ call_id: '' })),
    { 'input.1.call_id': 'call_without_id_1', 'input.2.call_id': 'call_without_id_1' },
  ],
  [
    'the id of the item alone',
    OPENAI,
    history(asked({ call_id: null, id: 'c1' }), found()),
    { 'input.1.call_id': 'c1' },
  ],
  [
    'a text of the user in an answer',
    OPENAI,
    history({ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }, said),
    { 'input.1.content': 'a' },
  ],
  [
    'a text of an answer in a prompt',
    OPENAI,
    { input: [{ role: 'user', content: [{ type: 'output_text', text: 'a' }] }] },
    { 'input.0.content': 'a' },
  ],
  [
    'parts of chat completions',
    OPENAI,
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
          ],
        },
      ],
    },
    {
      'input.0.content.0.type': 'input_text',
      'input.0.content.1': { type: 'input_image', image_url: 'https://a.example/b.png' },
    },
  ],
  ['an empty answer', OPENAI, history({ role: 'assistant', content: null }, said), { 'input.1.role': 'user' }],
  ['the name of a participant', OPENAI, { input: [{ ...said, name: 'bob' }] }, { 'input.0.name': undefined }],
  [
    'a function of chat completions',
    OPENAI,
    {
      input: 'Hi',
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
    },
    { 'tools.0.name': 'look', 'tools.0.function': undefined, tool_choice: { type: 'function', name: 'look' } },
  ],
]

describe('a Responses client', () => {
  it.each(RESPONSES)('may send %s', (...row) => check('openai', row))

  it.each(HOSTS)('is understood by %s %s with outputs that are no texts', (vendor, model) => {
    const body = history(asked({ arguments: { q: 1 } }), found({ output: { t: 3 } }))
    const explained = explainRequest({ model: 'm', ...body }, { client: 'openai', vendor, model })
    expect(explained).toMatchObject({ ok: true })
    expect(JSON.stringify(explained.ok && explained.upstream)).toContain('{\\"t\\":3}')
  })

  it('is refused in the dialect beta, which has bounds of its own', () => {
    const body = { model: 'm', ...answered({ t: 3 }) }
    expect(explainRequest(body, { client: 'beta', vendor: 'openai' })).toMatchObject({ ok: false })
  })
})
