import type { Json, JsonObject } from '../../../protocol/json.ts'
import { type Loss, mapped } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import type { EditBody, RequestPassthrough } from '../../passthrough-contract.ts'
import { gatewayMembers, lossless, modelName } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'
import { openTexts } from '../../shared/passthrough/sealed-texts.ts'
import { factsOf } from '../../shared/upstream/model-facts.ts'
import { messagesSealedTexts } from '../sealed-texts.ts'
import { VERTEX_VERSION } from '../upstream/request.ts'

/** Vertex names the model in the path and the version in the body. */
const vertexVersion = lossless((body, { quirks }) =>
  quirks.rawPredict === true
    ? withMember(withMember(body, 'model', undefined), 'anthropic_version', VERTEX_VERSION)
    : body,
)

/** A system message that the model refuses between the messages is one of the user in the same place. */
const lateSystem: EditBody = (body, { model, quirks }) => {
  const { messages } = body
  if (!Array.isArray(messages) || factsOf({ model, quirks }, 'anthropic-messages').lateSystem !== false)
    return { body, losses: [] }
  const list: readonly Json[] = messages
  const losses: Loss[] = []
  const edited = list.map((message, at): Json => {
    if (!isObject(message) || message.role !== 'system') return message
    losses.push(mapped(`messages[${at}]`, 'sent as a message of the user'))
    return { role: 'user', content: (message as JsonObject).content ?? '' }
  })
  return { body: losses.length === 0 ? body : withMember(body, 'messages', edited), losses }
}

export const messagesRequests: RequestPassthrough = {
  rules: { history: 'messages', settings: () => false, entry: () => false },
  edits: {
    model: modelName,
    'members of the gateway': gatewayMembers,
    'opened envelopes': openTexts(messagesSealedTexts),
    'version of Vertex': vertexVersion,
    'late system messages': lateSystem,
  },
}
