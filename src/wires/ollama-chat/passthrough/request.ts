import type { Passthrough } from '../../passthrough-contract.ts'
import { gatewayMembers, modelName } from '../../shared/passthrough/edits.ts'

export const ollamaRequests: Pick<Passthrough, 'rules' | 'edits'> = {
  rules: { history: 'messages', settings: () => false, entry: () => false },
  edits: { model: modelName, 'members of the gateway': gatewayMembers },
}
