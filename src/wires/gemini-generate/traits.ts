import { isObject } from '../../text/json.ts'
import { isText } from '../shared/matches.ts'
import type { WireTraits } from '../traits.ts'

export const geminiGenerateTraits: WireTraits = {
  title: 'Gemini generateContent',
  requestPath: /:(?:stream)?generateContent$/i,
  isAnswer: ({ candidates, promptFeedback, usageMetadata }) =>
    Array.isArray(candidates) || isObject(promptFeedback) || isObject(usageMetadata),
  isFailure: ({ type, error }) => type !== 'error' && isObject(error) && isText(error.status),
  modelInPath: true,
  client: { conversation: 'contents', isOwn: () => true },
}
