import fc from 'fast-check'

/** Valid requests that together contain every kind of item, part, tool and field. */
export const BODIES: readonly object[] = [
  { model: 'a/b', input: 'Hi', stream: true, stream_options: { include_obfuscation: false }, temperature: 0.5 },
  {
    model: 'a/b',
    instructions: 'Be short',
    input: [
      { role: 'developer', content: 'Rules' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: 'https://a.example/b.png', detail: 'high' },
          { type: 'input_file', file_data: 'data:,x', filename: 'x.txt' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }], encrypted_content: 'mr1.x' },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'Yes', annotations: [] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'find', namespace: 'crm', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'found' }] },
      { type: 'custom_tool_call', call_id: 'c2', name: 'note', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'noted' },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    ],
    tools: [
      { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: null },
      { type: 'custom', name: 'note', format: { type: 'grammar', syntax: 'lark', definition: 'start: /x/' } },
      { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ type: 'function', name: 'find' }] },
      { type: 'web_search', filters: { allowed_domains: ['a.example'] } },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
  },
  {
    model: 'a/b',
    input: 'Hi',
    max_output_tokens: 9,
    max_tool_calls: 2,
    top_p: 1,
    presence_penalty: -1,
    frequency_penalty: 1,
    top_logprobs: 3,
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    reasoning: { effort: 'low', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true }, verbosity: 'low' },
    parallel_tool_calls: false,
    truncation: 'auto',
    service_tier: 'flex',
    metadata: { a: 'b' },
    user: 'u',
    safety_identifier: 's',
    prompt_cache_key: 'k',
    plugins: [{ id: 'web', max_results: 3 }],
    store: false,
    background: false,
    previous_response_id: null,
  },
]

const WORDS = [
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'custom_tool_call',
  'item_reference',
  'user',
  'assistant',
  'system',
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
  'function',
  'custom',
  'namespace',
  'allowed_tools',
  'json_schema',
  '__proto__',
  'constructor',
  'toString',
  'other',
  'hosted',
]
const KEYS = [
  'type',
  'role',
  'content',
  'text',
  'name',
  'namespace',
  'call_id',
  'arguments',
  'output',
  'id',
  'status',
  'summary',
  'image_url',
  'tools',
  'tool_choice',
  'mode',
  'format',
  'schema',
  'effort',
  'encrypted_content',
  '__proto__',
  'fields',
  'item',
]

/** JSON of names and values that the schemas contain, so that validation reaches nested objects. */
export const { familiar } = fc.letrec<{ familiar: unknown }>((tie) => ({
  familiar: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.constantFrom(...WORDS, null, true, 0, 1, -1, 1.5, 1e300), fc.string(), fc.double()),
    fc.array(tie('familiar'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('familiar'), { maxKeys: 6 }),
  ),
}))

/** The path of a change and its new value; undefined removes the value. */
interface Stroke {
  readonly path: readonly number[]
  readonly value: unknown
}

const stroke: fc.Arbitrary<Stroke> = fc.record({
  path: fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
  value: fc.oneof(fc.constant(undefined), familiar, fc.jsonValue({ maxDepth: 2 })),
})

function struck(value: unknown, [first, ...path]: readonly number[], put: unknown): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return put
  const entries = Object.entries(value)
  if (entries.length === 0) return put
  const at = first % entries.length
  const changed = entries.flatMap(([key, inner], i) => {
    if (i !== at) return [[key, inner] as const]
    const now = struck(inner, path, put)
    return now === undefined ? [] : [[key, now] as const]
  })
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed)
}

/** A valid request with one to three changed values. */
export const mutated: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom(...BODIES), fc.array(stroke, { minLength: 1, maxLength: 3 }))
  .map(([body, strokes]) => strokes.reduce<unknown>((now, { path, value }) => struck(now, path, value), body))

/** The text of a valid request with a piece removed or replaced. */
export const corruptedBodies: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...BODIES), fc.nat(), fc.nat(12), fc.oneof(fc.constant(''), fc.string({ maxLength: 3 })))
  .map(([body, at, length, put]) => {
    const text = JSON.stringify(body)
    const start = at % text.length
    return text.slice(0, start) + put + text.slice(start + length)
  })
