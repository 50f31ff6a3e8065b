import { describe, expect, it } from 'vitest'
import { openaiResponses } from '../../../../src/wires/openai-responses/index.ts'

const lossesOf = (members: object): readonly string[] =>
  openaiResponses
    .decodeBody({ status: 'completed', output: [], ...members }, {})
    .flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))

describe('members of a finished response that no other protocol has', () => {
  it.each([
    [{ moderation: { input: { type: 'error' } } }, ['moderation']],
    [{ prompt_cache_diagnostics: { type: 'cache_miss' } }, ['prompt_cache_diagnostics']],
    [{ openrouter_metadata: { attempt: 1 } }, ['openrouter_metadata']],
    [{ input_transformations: [{ action: 'removed' }] }, ['input_transformations']],
    [{ tool_usage: { image_gen: { total_tokens: 9 } } }, ['usage.image_generation']],
    [{ status: 'failed', error: { code: 'server_error', misalignment: { kind: 'x' } } }, ['error.misalignment']],
    [{ status: 'incomplete', incomplete_details: { reason: 'steered' } }, ['incomplete_details.reason steered']],
    [{ output: [{ type: 'function_call', name: 'f', subagent_id: 's' }] }, ['the subagent of a call']],
    [{ output: [{ type: 'reasoning', summary: [], signature: 's' }] }, ['the signature of reasoning']],
  ])('records %j as a loss', (members, losses) => {
    expect(lossesOf(members)).toEqual(losses)
  })

  it.each([
    [{ moderation: null, input_transformations: [] }],
    [{ tool_usage: { image_gen: { total_tokens: 0 }, web_search: { num_requests: 0 } } }],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ])('records nothing for %j', (members) => {
    expect(lossesOf(members)).toEqual([])
  })

  it('has the searches that OpenAI counts beside the usage', () => {
    const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }
    const deltas = openaiResponses.decodeBody(
      { status: 'completed', usage, tool_usage: { web_search: { num_requests: 2 } } },
      {},
    )
    expect(deltas).toContainEqual({
      kind: 'usage',
      usage: expect.objectContaining({ details: { web_search_requests: 2 } }),
    })
  })
})
