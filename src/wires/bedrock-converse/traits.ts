import { hasAny, isText } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

export const bedrockConverseTraits: WireTraits = {
  title: 'Bedrock Converse',
  requestPath: /\/converse(?:-stream)?$/,
  isAnswer: ({ output, stopReason }) => hasAny(output, ['message']) && isText(stopReason),
  // Other services of Amazon have the same framing with events of other names.
  eventNames: /^(?:(?:message(?:Start|Stop)|contentBlock(?:Start|Delta|Stop)|metadata)$|:exception )/,
  modelInPath: true,
}
