import type { JsonObject } from '../../../protocol/json.ts'

/** The schema of an object without further members. */
export const objectSchema = (
  properties: JsonObject,
  required: readonly string[] = Object.keys(properties),
): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

export const textSchema = (description: string): JsonObject => ({ type: 'string', description })

/** A request of Claude Code. */
export const CLAUDE_CODE: JsonObject = {
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
      text: 'Read a file before you edit it. Keep answers short. Working directory: /project/shop. Platform: linux.',
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
        { type: 'tool_use', id: 'toolu_read', name: 'Read', input: { file_path: '/project/shop/src/cart.ts' } },
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
        ...objectSchema({ file_path: textSchema('An absolute path.'), limit: { type: 'number' } }, ['file_path']),
      },
    },
    {
      name: 'Grep',
      description: 'Finds lines that match a pattern.',
      input_schema: objectSchema({ pattern: textSchema('A regular expression.'), path: textSchema('A folder.') }, [
        'pattern',
      ]),
    },
    {
      name: 'Edit',
      description: 'Replaces text in a file.',
      input_schema: objectSchema({
        file_path: textSchema('An absolute path.'),
        old_string: textSchema('The text to replace.'),
        new_string: textSchema('The new text.'),
      }),
    },
  ],
  thinking: { type: 'enabled', budget_tokens: 10_000 },
  metadata: { user_id: 'user_3f9c_session_81ab' },
  stream: true,
}

export const CODEX: JsonObject = {
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
      arguments: '{"command":["rg","-n","--","--fast"],"workdir":"/project/tool"}',
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
      parameters: objectSchema({ command: { type: 'array', items: { type: 'string' } }, workdir: { type: 'string' } }, [
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
