import { isObject } from '../../text/json.ts'
import { pickMembers, toTokenCount, type UpstreamCounts } from '../count-contract.ts'

/** The members that `/responses/input_tokens` accepts (OpenAI API reference, get input token counts). */
const MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'truncation',
  'personality',
])

/** How OpenAI counts tokens. Compatible servers have no such endpoint. */
export const responsesCounts: UpstreamCounts = {
  isUsual: false,
  encode: (body) => ({ path: '/responses/input_tokens', body: pickMembers(body, MEMBERS) }),
  decode: (answer) => (isObject(answer) ? toTokenCount(answer.input_tokens) : null),
}
