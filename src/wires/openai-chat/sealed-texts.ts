import type { Json, JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import type { ChangeText, SealedTexts } from '../client-contract.ts'
import { mapInner, mapMember, mapObjects, mapTexts } from '../shared/sealed-texts.ts'
import { mapSignature } from './sealed-reasoning.ts'

/** Members of entries and blocks. Other values of `data`, such as those of an image, have no such entry around them. */
const NAMES = ['signature', 'data']

const inBlock = (block: JsonObject, change: ChangeText): JsonObject =>
  mapInner(mapTexts(block, NAMES, change), 'delta', (delta) => mapTexts(delta, NAMES, change))

const inBlocks = (blocks: Json, change: ChangeText): Json => mapObjects(blocks, (block) => inBlock(block, change))

/** Lists of a message whose entries have texts that only their issuer can read. */
const LISTS = ['reasoning_details', 'thinking_blocks', 'content_blocks'] as const

/** Parts with reasoning: the signature is that of the part, or of its summaries. */
function inPart(part: JsonObject, change: ChangeText): JsonObject {
  if (part.type === 'thinking') return mapTexts(part, NAMES, change)
  return part.type === 'reasoning' ? mapMember(part, 'summary', (summary) => inBlocks(summary, change)) : part
}

function inMessage(message: JsonObject, change: ChangeText): JsonObject {
  const listed = LISTS.reduce((now, name) => mapMember(now, name, (list) => inBlocks(list, change)), message)
  const parted = mapMember(listed, 'content', (content) => mapObjects(content, (part) => inPart(part, change)))
  const called = mapMember(parted, 'tool_calls', (calls) => mapObjects(calls, (call) => mapSignature(call, change)))
  return mapSignature(mapTexts(called, ['reasoning_opaque'], change), change)
}

function inPayload(payload: Json, change: ChangeText): Json {
  if (!isObject(payload)) return inBlocks(payload, change)
  return mapMember(mapTexts(payload as JsonObject, ['signature'], change), 'blocks', (blocks) =>
    inBlocks(blocks, change),
  )
}

/** Signatures and encrypted reasoning in the forms of all vendors of this protocol. */
export const chatSealedTexts: SealedTexts = {
  history: 'messages',
  inAnswer(value, change) {
    const inside = (message: JsonObject): JsonObject => inMessage(message, change)
    return mapMember(value, 'choices', (choices) =>
      mapObjects(choices, (choice) => mapInner(mapInner(choice, 'delta', inside), 'message', inside)),
    )
  },
  inPayload,
}
