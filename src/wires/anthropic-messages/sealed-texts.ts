import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import type { ChangeText, SealedTexts } from '../client-contract.ts'
import { mapInner, mapMember, mapObjects, mapTexts } from '../shared/sealed-texts.ts'

/** The member of a block of reasoning, or of a piece of one, that only its issuer can read. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  thinking: ['signature'],
  signature_delta: ['signature'],
  redacted_thinking: ['data'],
}

const inBlock = (block: JsonObject, change: ChangeText): JsonObject => {
  const names = typeof block.type === 'string' && Object.hasOwn(MEMBERS, block.type) ? MEMBERS[block.type] : undefined
  return names === undefined ? block : mapTexts(block, names, change)
}

/** Signatures and encrypted reasoning. Results of Anthropic's tools are no reasoning: they stay as they are. */
export const messagesSealedTexts: SealedTexts = {
  history: 'messages',
  inAnswer(value, change) {
    const block = (one: JsonObject): JsonObject => inBlock(one, change)
    const piece = mapInner(mapInner(value, 'delta', block), 'content_block', block)
    return mapMember(piece, 'content', (content) => mapObjects(content, block))
  },
  inPayload: (payload, change) => (isObject(payload) ? inBlock(payload as JsonObject, change) : payload),
}
