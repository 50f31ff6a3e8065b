import { expect } from 'vitest'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, call, text } from '../answers.ts'

const lost = (members: object, ...losses: readonly string[]): AnswerCase => ({
  name: members,
  body: { status: 'completed', output: [{ type: 'message', content: [text('A')] }], ...members },
  losses,
})
const cut = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } })
const COUNTED = { usage: { input_tokens: 5, output_tokens: 7 }, tool_usage: { web_search: { num_requests: 2 } } }
const UNUSED = { image_gen: { total_tokens: 0 }, web_search: { num_requests: 0 } }

// biome-ignore format: a row a case
answers('members of a finished response that no other protocol has', 'are losses unless they are empty: ', [
  lost({ moderation: { input: { type: 'error' } } }, 'moderation'),
  lost({ prompt_cache_diagnostics: { type: 'cache_miss' } }, 'prompt_cache_diagnostics'),
  lost({ openrouter_metadata: { attempt: 1 } }, 'openrouter_metadata'),
  lost({ input_transformations: [{ action: 'removed' }] }, 'input_transformations'),
  lost({ tool_usage: { image_gen: { total_tokens: 9 } } }, 'usage.image_generation'),
  lost({ status: 'failed', error: { code: 'server_error', misalignment: { kind: 'x' } } }, 'error.misalignment'),
  lost(cut('steered'), 'incomplete_details.reason steered'),
  lost({ output: [{ ...call('f', '{}'), subagent_id: 's' }] }, 'the subagent of a call'),
  lost({ output: [{ type: 'message', content: [{ type: 'output_audio', data: 'AAAA', transcript: 'A' }] }] }, 'audio'),
  lost({ output: [{ type: 'reasoning', summary: [], signature: 's' }] }, 'the signature of reasoning'),
  lost({ moderation: null, input_transformations: [] }),
  lost({ tool_usage: UNUSED }),
  lost(cut('max_output_tokens')),
  { ...lost(COUNTED), emits: [{ kind: 'usage', usage: expect.objectContaining({ details: { web_search_requests: 2 } }) }] },
])

answers('the settings of its request in a finished response', 'are no losses: ', [
  lost({
    tool_choice: 'required',
    tools: [{ type: 'function', name: 'f' }],
    parallel_tool_calls: true,
    max_tool_calls: 3,
  }),
  lost({
    instructions: 'Be brief.',
    prompt: { id: 'p' },
    previous_response_id: 'r',
    conversation: { id: 'c' },
    background: true,
    store: true,
  }),
  lost({
    temperature: 1,
    top_p: 0.5,
    top_k: 9,
    top_logprobs: 2,
    frequency_penalty: 1,
    presence_penalty: 1,
    max_output_tokens: 9,
  }),
  lost({
    reasoning: { effort: 'low' },
    text: { verbosity: 'low' },
    truncation: 'auto',
    metadata: { a: 'b' },
    user: 'u',
    safety_identifier: 's',
  }),
  lost({ prompt_cache_key: 'k', prompt_cache_options: { mode: 'x' }, prompt_cache_retention: '24h' }),
])
