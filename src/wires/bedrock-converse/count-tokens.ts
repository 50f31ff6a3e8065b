import { isObject } from '../../text/json.ts'
import { escapeSegment } from '../../text/path-segment.ts'
import { pickMembers, toTokenCount, type UpstreamCounts } from '../count-contract.ts'

/** The members of `input.converse` (Amazon Bedrock API reference, ConverseTokensRequest). */
const MEMBERS: ReadonlySet<string> = new Set(['messages', 'system', 'toolConfig', 'additionalModelRequestFields'])

/** How Bedrock counts tokens: for some models, and for none by the name of an inference profile. */
export const converseCounts: UpstreamCounts = {
  isUsual: true,
  encode: (body, { model }) => {
    const name = escapeSegment(model)
    if (name === null) return null
    return { path: `/model/${name}/count-tokens`, body: { input: { converse: pickMembers(body, MEMBERS) } } }
  },
  decode: (answer) => (isObject(answer) ? toTokenCount(answer.inputTokens) : null),
}
