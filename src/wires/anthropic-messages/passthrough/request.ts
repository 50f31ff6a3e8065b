import type { RequestPassthrough } from '../../passthrough-contract.ts'
import { gatewayMembers, lossless, modelName } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** Vertex names the model in the path and the version in the body. */
const vertexVersion = lossless((body, { quirks, encoded }) =>
  quirks.rawPredict === true
    ? withMember(withMember(body, 'model', undefined), 'anthropic_version', encoded.anthropic_version)
    : body,
)

export const messagesRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: () => false, entry: () => false },
  edits: { model: modelName, 'members of the gateway': gatewayMembers, 'version of Vertex': vertexVersion },
}
