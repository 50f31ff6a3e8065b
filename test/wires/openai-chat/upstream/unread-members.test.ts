import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'

const lossesOf = (members: object, choice: object = {}): readonly string[] =>
  openaiChat
    .decodeBody(
      { choices: [{ index: 0, finish_reason: 'stop', message: { content: 'The sun is up.' }, ...choice }], ...members },
      {},
    )
    .flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))

describe('members of a chat completion that no Responses stream has', () => {
  it.each([
    [{ moderation: { input: { type: 'error' } } }, {}, ['moderation']],
    [{ openrouter_metadata: { attempt: 1 } }, {}, ['openrouter_metadata']],
    [{}, { logprobs: { content: null, refusal: [{ token: 'No', logprob: 0 }] } }, ['logprobs of a refusal']],
    [
      {},
      { message: { content: 'x', reasoning_details: [{ type: 'reasoning.server_tool_call', result: 'r' }] } },
      ['reasoning.server_tool_call'],
    ],
    [{ moderation: null }, { logprobs: { content: null, refusal: null } }, []],
  ])('%j with the choice %j records %j', (members, choice, losses) => {
    expect(lossesOf(members, choice)).toEqual(losses)
  })
})
