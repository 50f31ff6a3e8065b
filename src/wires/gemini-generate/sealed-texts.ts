import type { Json, JsonObject } from '../../protocol/json.ts'
import { wrapEnvelope } from '../../responses/encrypted-content.ts'
import { isObject } from '../../text/json.ts'
import type { ChangeText, SealedTexts } from '../client-contract.ts'
import { mapInner, mapMember, mapObjects, mapTexts } from '../shared/sealed-texts.ts'
import { readPayload, type SignatureSpan } from './thought-signatures.ts'

const NAMES = ['thoughtSignature', 'thought_signature']

const inParts = (parts: Json, change: ChangeText): Json => mapObjects(parts, (part) => mapTexts(part, NAMES, change))

function inPayload(payload: Json, change: ChangeText): Json {
  const found = readPayload(payload)
  switch (found?.on) {
    case 'call':
    case 'image':
      return { ...found, signature: change(found.signature) }
    case 'text':
    case 'thought': {
      const marks = found.marks.map(([start, end, signature]): SignatureSpan => [start, end, change(signature)])
      return { ...found, marks }
    }
    case 'parts':
      return { ...found, parts: inParts(found.parts, change) }
    default:
      return payload
  }
}

/** Signatures of thoughts, texts and calls. Google's libraries read them as bytes, so that their envelope is base64. */
export const geminiSealedTexts: SealedTexts = {
  history: 'contents',
  inAnswer: (value, change) =>
    mapMember(value, 'candidates', (candidates) =>
      mapObjects(candidates, (candidate) =>
        mapInner(candidate, 'content', (content: JsonObject) =>
          mapMember(content, 'parts', (parts) => inParts(parts, change)),
        ),
      ),
    ),
  inPayload: (payload, change) => (isObject(payload) ? inPayload(payload as JsonObject, change) : payload),
  wrap: wrapEnvelope,
}
