import { openReasoning } from '../../responses/encrypted-content.ts'
import type { Pass } from './pass.ts'

/** Reasoning that this gateway sealed, and no upstream encrypted, is readable text again. */
export const openedReasoning: Pass = (client, { sign }) => {
  const { request } = client
  const input = openReasoning(request.input, sign)
  return input === request.input ? null : { client: { ...client, request: { ...request, input } } }
}
