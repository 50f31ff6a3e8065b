import type { AnswerCase } from '../../answer-cases.ts'
import { answers } from '../answers.ts'

const whole = (name: string, members: object, choice: object, ...losses: readonly string[]): AnswerCase => ({
  name,
  body: { ...members, choices: [{ finish_reason: 'stop', message: { content: 'The sun is up.' }, ...choice }] },
  end: 'completed',
  losses,
})
const details = [{ type: 'reasoning.server_tool_call', result: 'r' }]

answers('members of a chat completion that no Responses stream has', 'are losses unless they are null: ', [
  whole('moderation', { moderation: { input: { type: 'error' } } }, {}, 'moderation'),
  whole('the attempt', { openrouter_metadata: { attempt: 1 } }, {}, 'openrouter_metadata'),
  whole('logprobs', {}, { logprobs: { refusal: [{ token: 'No', logprob: 0 }] } }, 'logprobs of a refusal'),
  whole('a tool', {}, { message: { content: 'x', reasoning_details: details } }, 'reasoning.server_tool_call'),
  whole('null', { moderation: null }, { logprobs: { content: null, refusal: null } }),
])
