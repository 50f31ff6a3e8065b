/** Members of requests of the hub, which the cases of several wires have. */

export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: unknown) => ({ role: 'assistant', content })
export const call = (call_id: string, args = '{}', name = 'f') => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
})
export const output = (call_id: string, out: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: out })

/** A function as a tool, and as the choice of it. */
export const fn = (name = 'f', more: object = {}) => ({ type: 'function', name, ...more })
/** A function of Chat Completions. */
export const chatFn = (name = 'f', more: object = { parameters: { type: 'object', properties: {} } }) => ({
  type: 'function',
  function: { name, ...more },
})
export const WEB = { type: 'web_search' }
export const CUSTOM = { type: 'custom', name: 'c' }
export const FAR_FILE = { type: 'input_file', file_url: 'https://a' }
export const SOUND = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }

export const effort = (word: string) => ({ reasoning: { effort: word } })
export const TEXT = { text: { format: { type: 'text' } } }
export const JSON_OBJECT = { text: { format: { type: 'json_object' } } }
export const schemaOf = (more: object = {}) => ({
  text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, ...more } },
})
export const WITH_LOGPROBS = { include: ['message.output_text.logprobs'] }
export const ONE_CALL = { parallel_tool_calls: false }
export const SUMMARY = { reasoning: { summary: 'auto' } }

/** Requests that an upstream refuses if it cannot force a call of the tool. */
export const UNFORCED = [
  { tools: [WEB], tool_choice: 'required' },
  { tools: [fn(), WEB], tool_choice: WEB },
  { tools: [fn(), CUSTOM], tool_choice: CUSTOM },
].map((request) => ({ request, error: 'tool_choice' }))

/** Members without a loss, as their values are the usual ones. */
export const WITHOUT_EFFECT = {
  temperature: 1,
  stream: true,
  service_tier: 'auto',
  truncation: 'disabled',
  parallel_tool_calls: true,
}
/** Members that few upstreams have. */
export const UNSUPPORTED = {
  metadata: { a: 'b' },
  max_tool_calls: 1,
  plugins: [{ id: 'web' }],
  user: 'u',
  service_tier: 'flex',
  prompt_cache_key: 'k',
  safety_identifier: 's',
  parallel_tool_calls: false,
}
export const LOW_VERBOSITY = { text: { verbosity: 'low' } }
export const system = (content: unknown) => ({ role: 'system', content })
