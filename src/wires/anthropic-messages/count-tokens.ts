import { isObject } from '../../text/json.ts'
import { type ClientCounts, pickMembers, toTokenCount, type UpstreamCounts } from '../count-contract.ts'

/** The members that `/v1/messages/count_tokens` accepts; any other one is a 400 (docs.anthropic.com, count tokens). */
const MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'cache_control',
  'output_config',
  'output_format',
  'context_management',
  'mcp_servers',
  'speed',
  'user_profile_id',
  'workspace_id',
])

/** Vertex has the version in the body, and the path names the method in place of the model. */
const VERTEX_MEMBERS: ReadonlySet<string> = new Set([...MEMBERS, 'anthropic_version'])

export const messagesCounts: UpstreamCounts = {
  isUsual: true,
  encode: (body, { model, quirks }) =>
    quirks.rawPredict === true
      ? { path: '/count-tokens:rawPredict', body: { ...pickMembers(body, VERTEX_MEMBERS), model } }
      : { path: '/v1/messages/count_tokens', body: pickMembers(body, MEMBERS) },
  decode: (answer) => (isObject(answer) ? toTokenCount(answer.input_tokens) : null),
}

/** How clients of Anthropic request a count. */
export const messagesClientCounts: ClientCounts = {
  // Nothing is generated: a limit of the answer has no tokens, and none that a budget could exceed.
  read: ({ max_tokens: _, ...request }) => ({ request, member: null }),
  answer: (tokens) => ({ input_tokens: tokens }),
}
