import { isObject } from '../../text/json.ts'
import { isText } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

export const openaiResponsesTraits: WireTraits = {
  title: 'Responses',
  requestPath: /\/responses(?:\/|$)/,
  isAnswer: ({ type, object }) => (isText(type) && type.startsWith('response.')) || object === 'response',
  isFailure: ({ type, error }) => type === 'error' && !(isObject(error) && isText(error.type)),
  client: { conversation: 'input', isOwn: () => false, isUsual: () => true },
}
