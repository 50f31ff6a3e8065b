import type { JsonObject } from '../../../protocol/json.ts'

/** A request in the shape of real ones. */
export interface ExampleRequest {
  readonly name: string
  readonly title: string
  /** The protocol of its client. */
  readonly client: string
  /** For protocols that have the model in the path. */
  readonly model?: string
  readonly body: JsonObject
  /** The list with the conversation, and the entries that the request before this one did not have. */
  readonly turn?: { readonly list: string; readonly added: number }
}

const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = (description: string): JsonObject => ({ type: 'string', description })

const PLAIN: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'system', content: 'You answer in two sentences at most.' },
    { role: 'user', content: 'Why is the sky blue?' },
  ],
  temperature: 0.3,
  max_completion_tokens: 400,
  stop: ['\n\n'],
  seed: 7,
  user: 'u-1024',
  stream: true,
}

const weatherCall = (id: string, city: string): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city, unit: 'celsius' }) },
})

const TOOLS: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'developer', content: 'Use the tools for every fact about the weather.' },
    { role: 'user', content: 'Is it warmer in Rome or in Oslo, and by how much?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [weatherCall('call_rome', 'Rome'), weatherCall('call_oslo', 'Oslo')],
    },
    { role: 'tool', tool_call_id: 'call_rome', content: '{"temperature": 24.5, "sky": "clear"}' },
    { role: 'tool', tool_call_id: 'call_oslo', content: '{"temperature": 11, "sky": "rain"}' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city now.',
        parameters: object({
          city: text('The name of the city.'),
          unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
        }),
        strict: true,
      },
    },
    {
      type: 'function',
      function: {
        name: 'subtract',
        description: 'Subtracts two numbers.',
        parameters: object({ a: { type: 'number' }, b: { type: 'number', exclusiveMinimum: -273.15 } }),
      },
    },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  logprobs: true,
  top_logprobs: 3,
}

const CLAUDE_CODE: JsonObject = {
  model: 'claude-sonnet-4-5',
  max_tokens: 32_000,
  system: [
    {
      type: 'text',
      text: "You are a coding agent that works in the user's terminal.",
      cache_control: { type: 'ephemeral' },
    },
    {
      type: 'text',
      text: 'Read a file before you edit it. Keep answers short. Working directory: /home/user/shop. Platform: linux.',
      cache_control: { type: 'ephemeral' },
    },
  ],
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'The total of the cart is wrong for two vouchers. Please repair it.' }],
    },
    {
      role: 'assistant',
      content: [
        {
          type: 'thinking',
          thinking: 'The total is computed in cart.ts. I read it first.',
          signature: 'EqQBCkYIBRgCKkD2xU0w',
        },
        { type: 'text', text: 'I look at the computation of the total.' },
        { type: 'tool_use', id: 'toolu_read', name: 'Read', input: { file_path: '/home/user/shop/src/cart.ts' } },
        { type: 'tool_use', id: 'toolu_grep', name: 'Grep', input: { pattern: 'voucher', path: 'src' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_read',
          content:
            '1\texport const total = (cart: Cart) =>\n2\t  cart.items.reduce((sum, item) => sum + item.price, 0) - cart.vouchers[0].value',
        },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_grep',
          content: [{ type: 'text', text: 'src/cart.ts:2\nsrc/voucher.ts:1' }],
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  ],
  tools: [
    {
      name: 'Read',
      description: 'Reads a file.',
      input_schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        ...object({ file_path: text('An absolute path.'), limit: { type: 'number' } }, ['file_path']),
      },
    },
    {
      name: 'Grep',
      description: 'Finds lines that match a pattern.',
      input_schema: object({ pattern: text('A regular expression.'), path: text('A folder.') }, ['pattern']),
    },
    {
      name: 'Edit',
      description: 'Replaces text in a file.',
      input_schema: object({
        file_path: text('An absolute path.'),
        old_string: text('The text to replace.'),
        new_string: text('The new text.'),
      }),
    },
  ],
  thinking: { type: 'enabled', budget_tokens: 10_000 },
  metadata: { user_id: 'user_3f9c_session_81ab' },
  stream: true,
}

const CODEX: JsonObject = {
  model: 'gpt-5.1-codex',
  instructions: 'You are a coding agent. You change files with apply_patch and run commands with shell.',
  input: [
    {
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text: 'Sandbox: workspace-write. Approvals: on request.' }],
    },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rename the option --fast to --quick.' }] },
    {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Find the option first.' }],
      encrypted_content: 'gAAAAABpQ0xv',
    },
    {
      type: 'function_call',
      name: 'shell',
      arguments: '{"command":["rg","-n","--","--fast"],"workdir":"/home/user/tool"}',
      call_id: 'call_shell',
    },
    { type: 'function_call_output', call_id: 'call_shell', output: 'src/options.ts:12:  .option("--fast")' },
    {
      type: 'custom_tool_call',
      name: 'apply_patch',
      input:
        '*** Begin Patch\n*** Update File: src/options.ts\n-  .option("--fast")\n+  .option("--quick")\n*** End Patch',
      call_id: 'call_patch',
    },
    { type: 'custom_tool_call_output', call_id: 'call_patch', output: 'Success. Updated src/options.ts' },
  ],
  tools: [
    {
      type: 'function',
      name: 'shell',
      description: 'Runs a command.',
      parameters: object({ command: { type: 'array', items: { type: 'string' } }, workdir: { type: 'string' } }, [
        'command',
      ]),
      strict: false,
    },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits files. The input is a patch.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" /[^*]+/ "*** End Patch"' },
    },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: false,
  reasoning: { effort: 'medium', summary: 'auto' },
  text: { verbosity: 'low' },
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199a8d0-5b1e-7c43',
  store: false,
  stream: true,
}

const STRUCTURED: JsonObject = {
  model: 'gpt-5.1',
  messages: [
    { role: 'system', content: 'You extract invoices.' },
    { role: 'user', content: 'Invoice 2041 of Nordlys AS, 14 November 2026: 3 lamps at 129.90 each, due in 14 days.' },
  ],
  reasoning_effort: 'high',
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'invoice',
      strict: true,
      schema: object({
        number: { type: 'string', pattern: '^[0-9]+$' },
        seller: { type: 'string', minLength: 1 },
        date: { type: 'string', format: 'date' },
        lines: {
          type: 'array',
          minItems: 1,
          items: object({ text: { type: 'string' }, count: { type: 'integer' }, price: { type: 'number' } }),
        },
        due_days: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      }),
    },
  },
  max_completion_tokens: 2000,
}

const MEDIA: JsonObject = {
  systemInstruction: { parts: [{ text: 'You compare documents with pictures.' }] },
  contents: [
    {
      role: 'user',
      parts: [
        { text: 'Does the picture show the part that the data sheet describes?' },
        {
          inlineData: {
            mimeType: 'image/png',
            data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          },
        },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQKJSVFT0YK' } },
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://media.example/assembly.mp4' } },
      ],
    },
  ],
  generationConfig: {
    temperature: 0.2,
    topK: 40,
    maxOutputTokens: 1024,
    thinkingConfig: { thinkingBudget: 2048, includeThoughts: true },
  },
  safetySettings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'BLOCK_ONLY_HIGH' }],
}

export const EXAMPLES: readonly ExampleRequest[] = [
  { name: 'plain', title: 'Plain text', client: 'openai-chat', body: PLAIN },
  {
    name: 'tools',
    title: 'Tools, parallel calls',
    client: 'openai-chat',
    body: TOOLS,
    turn: { list: 'messages', added: 3 },
  },
  {
    name: 'claude-code',
    title: 'Coding agent: Claude Code',
    client: 'anthropic-messages',
    body: CLAUDE_CODE,
    turn: { list: 'messages', added: 2 },
  },
  { name: 'codex', title: 'Coding agent: Codex', client: 'openai', body: CODEX, turn: { list: 'input', added: 2 } },
  { name: 'structured', title: 'Structured output', client: 'openai-chat', body: STRUCTURED },
  { name: 'media', title: 'Images and files', client: 'gemini-generate', model: 'gemini-3-pro', body: MEDIA },
]

/** The request before this one of the same conversation; null if it is the first. */
export function requestBefore({ body, turn }: ExampleRequest): JsonObject | null {
  const list = turn === undefined ? undefined : body[turn.list]
  if (turn === undefined || !Array.isArray(list)) return null
  return { ...body, [turn.list]: list.slice(0, -turn.added) }
}
