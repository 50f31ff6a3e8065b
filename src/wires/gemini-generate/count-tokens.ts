import type { JsonRecord } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { type ClientCounts, pickMembers, toTokenCount, type UpstreamCounts } from '../count-contract.ts'
import { modelPath } from './model-path.ts'

/** The members of a request that `countTokens` of Vertex AI accepts in its own body. */
const VERTEX_MEMBERS: ReadonlySet<string> = new Set([
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'generationConfig',
  'generation_config',
])

/**
 * How Google counts tokens. The Gemini API counts tools and instructions only inside `generateContentRequest`, which
 * Vertex AI does not have.
 */
export const geminiCounts: UpstreamCounts = {
  isUsual: true,
  takesFragments: true,
  encode: (body, { model, quirks }) => {
    const name = modelPath(model)
    if (name === null) return null
    return {
      path: `/${name}:countTokens`,
      body:
        quirks.countsTokens === 'plain'
          ? pickMembers(body, VERTEX_MEMBERS)
          : { generateContentRequest: { ...body, model: name } },
    }
  },
  decode: (answer) => (isObject(answer) ? toTokenCount(answer.totalTokens) : null),
}

const MEMBERS = ['generateContentRequest', 'generate_content_request'] as const

/** How clients of Gemini request a count: of contents, or of a whole request. */
export const geminiClientCounts: ClientCounts = {
  read: (body) => {
    const member = MEMBERS.find((name) => isObject(body[name]))
    return member === undefined ? { request: body, member: null } : { request: body[member] as JsonRecord, member }
  },
  answer: (tokens) => ({ totalTokens: tokens }),
}
